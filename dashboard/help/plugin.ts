// SPDX-License-Identifier: MIT
// The documents of the manual as modules: `help:NAME` is {title, html}.
import { readFileSync } from 'node:fs';
import type { Plugin } from 'vite';
import { inline, markdown } from './markdown';
import { mdoc } from './mdoc';

/** Where the documents are: beside this folder, or where the environment says so. */
const top = process.env.POSTHOUSE_TOP ?? '..';
const documents = ['dashboard', 'templates', 'broadcasts', 'relays'];

/** Links between the documents that are here. */
function leads(target: string) {
	const [, name, section = ''] = /^(?:doc\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(target) ?? [];
	if (documents.includes(name)) return `/dashboard/help/${name}${section}`;
	return target === 'posthouse-workflow(5)' ? '/dashboard/help/workflow' : null;
}

function read(name: string) {
	if (name === 'workflow') return { title: 'posthouse-workflow(5)', html: mdoc(readFileSync(`${top}/man/posthouse-workflow.5`, 'utf8')) };
	if (!documents.includes(name)) throw new Error(`help:${name}: there is no such document`);
	const text = readFileSync(`${top}/doc/${name}.md`, 'utf8');
	return { title: inline(/^# (.*)$/m.exec(text)![1].replace(/`/g, ''), leads), html: markdown(text, leads) };
}

export const help = (): Plugin => ({
	name: 'help',
	resolveId: (id) => (id.startsWith('help:') ? `\0${id}` : undefined),
	load: (id) => (id.startsWith('\0help:') ? `export default ${JSON.stringify(read(id.slice('\0help:'.length)))}` : undefined),
});
