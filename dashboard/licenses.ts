// SPDX-License-Identifier: MIT
// Writes assets/licenses.txt: the licences of the packages of which something is in the bundle.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { Plugin } from 'vite';

export const licenses = (): Plugin => ({
	name: 'licenses',
	generateBundle(_, bundle) {
		const folders = new Set<string>();
		for (const file of Object.values(bundle))
			if (file.type === 'chunk')
				for (const id of file.moduleIds) {
					const folder = /^\0?(.*\/node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1];
					if (folder && existsSync(`${folder}/package.json`)) folders.add(folder);
				}
		const texts = [...folders].map(describe).sort();
		this.emitFile({ type: 'asset', fileName: 'assets/licenses.txt', source: [...new Set(texts)].join('\n') });
	},
});

function describe(folder: string) {
	const { name, version, license } = JSON.parse(readFileSync(`${folder}/package.json`, 'utf8'));
	const file = readdirSync(folder).find((entry) => /^licen[cs]e(\.|$)/i.test(entry));
	return `${name} ${version}, ${license}\n\n${file ? readFileSync(`${folder}/${file}`, 'utf8').trim() : ''}\n`;
}
