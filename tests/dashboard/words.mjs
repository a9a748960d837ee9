// SPDX-License-Identifier: MIT
// Looks through the words of the dashboard. Usage: words.mjs SOURCES; esbuild is one of Vite's packages.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';

const [sources] = process.argv.slice(2);
const faults = [];

async function read(language) {
	const { code } = transformSync(readFileSync(join(sources, `words/${language}.ts`), 'utf8'), { loader: 'ts', format: 'esm' });
	return (await import(`data:text/javascript,${encodeURIComponent(code)}`)).words;
}

/** All texts of a part with their places; those that are made are made of samples. */
function textsOf(part, place) {
	if (typeof part === 'string') return [[place, part]];
	if (typeof part === 'function') return [[place, String(part(1, 2, 3, 4))]];
	return Object.entries(part).flatMap(([name, inner]) => textsOf(inner, `${place}.${name}`));
}

const files = readdirSync(sources, { recursive: true }).filter((name) => /\.tsx?$/.test(name) && !/^words.(en|de)\.ts$/.test(name));
const code = files.map((name) => readFileSync(join(sources, name), 'utf8')).join('\n');

// A function that counts calls its number n: it has a form for one, groups thousands, and calls what it counts by the same word else.
function countsIn(part, place) {
	if (typeof part === 'string') return;
	if (typeof part !== 'function') return Object.entries(part).forEach(([name, inner]) => countsIn(inner, `${place}.${name}`));
	if (!/^\(?n\b/.test(String(part))) return;
	const [single, two, many] = [1, 2, 1234567].map((n) => part(n, 0));
	if (/\b1234567\b/.test(many)) faults.push(`${place} does not group thousands: ${many}`);
	const counted = (text) => /\b(?:1|2) ([^\s,.:;…]+)/.exec(text)?.[1];
	const same = /^(Byte|weitere|more|of|davon|nicht|oder|und)$/;
	if (counted(single) && counted(single) === counted(two) && !same.test(counted(single))) faults.push(`${place} has one form for one and for more: ${single}`);
}

const words = { en: await read('en'), de: await read('de') };
for (const [language, all] of Object.entries(words))
	for (const [place, text] of textsOf(all, language)) {
		if (!text.trim()) faults.push(`${place} is empty`);
		if (/^ | $|  |\.\.\.|\t/.test(text)) faults.push(`${place}: blanks or dots: ${text}`);
		if (/ [,.;:!?)]/.test(text)) faults.push(`${place}: a blank before a mark: ${text}`);
		if (/"/.test(text) && !/\{"|="/.test(text) && !/^"…"|“|"…"/.test(text)) faults.push(`${place}: straight quotes: ${text}`);
		if (language === 'de' && /\b(du|dich|dir|dein(e[mnrs]?)?)\b/i.test(text)) faults.push(`${place} does not say Sie: ${text}`);
	}

for (const [language, all] of Object.entries(words)) countsIn(all, language);

// What the service says of a thing that is not there, or not as it should be, has its own sentence in German.
const said = buildSync({ stdin: { contents: `export { faultText } from './api/faults'; export { wordsLoad } from './words';`, resolveDir: sources, loader: 'ts' }, bundle: true, format: 'esm', write: false });
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } });
const { faultText, wordsLoad } = await import(`data:text/javascript;base64,${Buffer.from(said.outputFiles[0].contents).toString('base64')}`);
await wordsLoad();
// Of requests that no page makes, and of programs alone.
const programs = /^(This API key|A key cannot|X-CSRF-Token|Sign-in needs|A request with this Idempotency|This Idempotency)|^(Another browser has|This link is)/;
const api = join(sources, '../../api');
const statuses = (operation) => Object.entries(operation.responses ?? {}).filter(([status]) => /^(403|404|409|429)$/.test(status));
for (const file of readdirSync(api).filter((name) => name.endsWith('.json')))
	for (const [path, operations] of Object.entries(JSON.parse(readFileSync(join(api, file), 'utf8')).paths ?? {}))
		for (const [, answer] of path.startsWith('/v1/') ? Object.values(operations).flatMap(statuses) : [])
			for (const { value } of Object.values(answer.content?.['application/json']?.examples ?? {}))
				if (value?.message && !programs.test(value.message) && faultText(value.message) === value.message) faults.push(`${path}: no German for: ${value.message}`);

// A group of which a member is asked for by a name that is not written here may have any.
for (const [group, members] of Object.entries(words.en)) {
	if (new RegExp(`\\bw\\.${group}(\\[| as )`).test(code)) continue;
	for (const name of Object.keys(members)) if (!new RegExp(`\\bw\\.${group}\\.${name}\\b`).test(code)) faults.push(`w.${group}.${name} is used nowhere`);
}
console.log(faults.length ? faults.join('\n') : `${textsOf(words.en, 'en').length} words`);
