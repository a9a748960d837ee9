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
const said = buildSync({ stdin: { contents: `export { faultText } from './api/faults'; export { whyText } from './api/why'; export { actionName, actions } from './pages/audit/actions'; export { wordsLoad } from './words';`, resolveDir: sources, loader: 'ts' }, bundle: true, tsconfigRaw: { compilerOptions: { jsx: 'react' } }, format: 'esm', write: false });
Object.assign(globalThis, { localStorage: { getItem: () => 'de' }, document: { documentElement: {} } });
const { faultText, whyText, actionName, actions, wordsLoad } = await import(`data:text/javascript;base64,${Buffer.from(said.outputFiles[0].contents).toString('base64')}`);
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

// The audit's filter offers each action of an operation, and has German for it.
for (const file of readdirSync(api).filter((name) => name.endsWith('.json')))
	for (const [path, operations] of Object.entries(JSON.parse(readFileSync(join(api, file), 'utf8')).paths ?? {}))
		for (const { 'x-audit': action } of Object.values(operations)) if (action && !actions.includes(action)) faults.push(`${path}: the filter of the audit lacks ${action}`);
for (const action of actions) if (actionName(action) === action) faults.push(`no German for the action ${action}`);

// So is what the service says of steps of workflows, in each of its forms (lib/automation), but for names and values.
const whys = `nothing waits for it
starts execution 2
starts nothing: reentry is once
starts nothing: reentry is after_finish, and execution 1 is not finished
starts nothing: deduplicated, as the last start was 5 minutes ago and dedupe_window is 1 hour
starts nothing: deduplicated, as the last start was 5.250 seconds ago and dedupe_window is 1 hour
starts nothing: its goal or an exit holds already
starts nothing: its filter says plan is missing
starts nothing: its filter says all 2 rules hold
starts nothing: its filter says plan is missing; releases execution 1 at w
execution 1 waits for it at w, but plan is "a; b": it does not equal "c"; releases execution 2 at w
goal of execution 1; exit of execution 2; starts execution 3
execution 1 waits for it at w, but event.id is 1: it does not equal event.id, which is 2
releases execution 1 at w; releases execution 2 at w
goal: bought came
exit: plan is "pro"
goal: none of 3 rules holds
hours: may leave from 2026-11-29T08:00:00.000Z
the contact was deleted
the event has joined the digest that is open
the contact gets no email: it is suppressed or has unsubscribed
signed_up came
template welcome
for paid, until 2026-11-29T08:00:00.000Z
for paid
until 2026-11-29T08:00:00.000Z
2026-11-29T08:00:00.000Z has passed
plan is "pro": it equals "pro"
plan is "a; b": it does not begin with "x"
age is 17: it is not less than 18
age is missing
cart is ["a","b"]: it contains "a"
age is 17: it is greater than other.age, which is missing
the contact is in segment 0198c0de-0000-7000-8000-000000000000
the contact is not in segment 0198c0de-0000-7000-8000-000000000000
there are no rules
this contact is of the 50 in 100 on this side
the answer is 204
property date holds no ISO 8601 time to wait for
property date, whose time is to be waited for, is missing
the rules take too long
more than 1000 steps
{"plan":"pro"}: This person has unsubscribed`;
const english = /\b(the|is|has|waits?|starts?|nothing|execution|holds?|rules?|came|until|which|contact|event(?!\.)|missing|property|answer|equals?|ago|side)\b/;
for (const why of whys.split('\n')) {
	const german = whyText(why);
	if (german === why || english.test(german)) faults.push(`no German for: ${why} (${german})`);
}

// And of what it notes of lines that are imported (lib/import), drafts (lib/broadcast/check) and DMARC (lib/dmarc).
const notes = `subscribed must be true or false
language must be a BCP 47 language tag
properties.age must be a number
properties.age must be a number: it is left out
time_zone must be an IANA time zone: write one like Europe/Vienna, or leave it out with lenient
properties.age must be a number: correct it, or leave it out with lenient
it has 2 fields, and the first line 3
it has 1 field, and the first line 2
its quote is never closed
it is not UTF-8: name the encoding of the file with encoding
it is not windows-1252: name the encoding of the file with encoding
properties must be at most 65536 bytes
the record cannot be read
file has no column for the email
no column of the first line is the email: name it in columns
file is empty
two columns may be the email, "E-Mail" and "Mail": name one in columns
two columns are the property "k", "E-Mail" and "N"
columns: two columns may be "mail", "Mail" and "MAIL"
columns: the first line has no column "x"
one column is both the email and the first_name
file must have at most 100 columns
file must have a first line of at most 65536 bytes
line 1: its quote is never closed
html: line 3: "{{#if" is not closed by "{{/if}}"
subject: line 1: "{{" is not closed by "}}" on its line
text: line 2: "{{/each}}" closes no "{{#each"
html: line 1: "{{" is not followed by the name of a variable
html: line 1: "{{#" is not followed by if, unless or each
html: line 1: "{{>" is not followed by the id of a template
html: line 4: a block has "{{else}}" twice
html: line 4: names of variables are letters, digits, "_", "." and "-"
html: no template "x"
html: template "x" includes itself
layout: template "x" has no {{{body}}}
nobody would get it
counting who would get it takes too long
audiences or segments are required
html or text is required when template_id is absent
html must have {{unsubscribe_url}}
no link to unsubscribe is visible; a footer with one is added
messages without a visible link to unsubscribe get a footer with one
images have no alt text
url must not lead to a private address
{{first_name}} has no value
reports about 3 of 30 days
2 of 3 reporters
50 of 100 messages
3.2 % of your own mail fails, at most 1 %
quarantine for 3 of 30 days
pct is gone since RFC 9989
aspf=s fails: the return path is at send.example.org
rua leads elsewhere
two DMARC records at example.org`;
for (const note of notes.split('\n')) {
	const german = faultText(note);
	if (german === note || /\b(must|is|are|has|at most|the|of|left|messages|gone)\b/.test(german)) faults.push(`no German for: ${note} (${german})`);
}

// A group of which a member is asked for by a name that is not written here may have any.
for (const [group, members] of Object.entries(words.en)) {
	if (new RegExp(`\\bw\\.${group}(\\[| as )`).test(code)) continue;
	for (const name of Object.keys(members)) if (!new RegExp(`\\bw\\.${group}\\.${name}\\b`).test(code)) faults.push(`w.${group}.${name} is used nowhere`);
}
console.log(faults.length ? faults.join('\n') : `${textsOf(words.en, 'en').length} words`);
