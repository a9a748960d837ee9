// SPDX-License-Identifier: MIT
// Imports: a file of each fault is shown before anything is stored; one of 10,000 lines goes on while the page is left; an export says the same.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { attack } from '../fill.mjs';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config } = process.env;
const spool = () => promisify(execFile)(`${bin}/posthouse-spool`, ['--config', config]);
const lines = 10_000;
const quoted = (text) => `"${text.replaceAll('"', '""')}"`;

const give = (page, file, name = 'people.csv') =>
	page.getByLabel('File').setInputFiles({ name, mimeType: 'text/csv', buffer: typeof file === 'string' ? Buffer.from(file) : file });
const use = (page, column) => page.getByLabel(`Column ${column} is taken as`, { exact: true });
const trial = (page) => page.getByRole('region', { name: 'Trial' });
const fault = (page, line, text) => trial(page).getByRole('row', { name: `${line} ${text}` }).waitFor();

/** A file of each fault: the sentence of the service, and the reader's remedy. */
const faults = {
	'an encoding of the first line': async (page) => {
		page.expected.push('/v1/imports');
		await give(page, Buffer.from('E-Mail;Größe\nzoe@faults.example;1\n', 'latin1'));
		await page.getByRole('alert').filter({ hasText: 'Line 1: The letters are not UTF-8: choose the encoding of the file.' }).waitFor();
		await page.getByLabel('Encoding').selectOption('Windows-1252');
		await use(page, 'Größe').selectOption('Property Gr_e');
	},
	'an encoding of another line': async (page) => {
		await give(page, Buffer.from('email,first_name\nada@faults.example,Ada\nzoe@faults.example,Zoë\n', 'latin1'));
		await use(page, 'email').waitFor();
		await spool();
		await fault(page, 3, 'The letters are not UTF-8: choose the encoding');
		await page.getByLabel('Encoding').selectOption('Latin 1');
		await page.getByRole('cell', { name: 'Zoë' }).waitFor();
		await spool();
		await trial(page).getByText('No line has a fault.').waitFor();
	},
	'UTF-16 with a mark': async (page) => {
		await give(page, Buffer.from('\ufeffE-Mail\tVorname\nzoe@faults.example\tZoë\n', 'utf16le'));
		await page.getByRole('cell', { name: 'Zoë' }).waitFor();
	},
	'a separator that the first line does not show': async (page) => {
		await give(page, 'email,first_name;last_name\nada@faults.example;Ada\n');
		await use(page, 'first_name;last_name').waitFor();
		page.expected.push('/v1/imports');
		await page.getByLabel('Separator').selectOption('Semicolon');
		await page.getByRole('alert').filter({ hasText: 'No column is the email address' }).waitFor();
		await use(page, 'email,first_name').selectOption('Email address');
		await page.getByRole('button', { name: 'Try it like this' }).click();
		await page.getByRole('alert').waitFor({ state: 'detached' });
		await spool();
		await trial(page).locator('.figure', { hasText: 'New' }).getByText('1', { exact: true }).waitFor();
	},
	'a separator that the file names': async (page) => {
		await give(page, 'sep=;\nemail;first_name\n"ada@faults.example";"Ada, Countess"\n');
		await page.getByRole('cell', { name: 'Ada, Countess' }).waitFor();
	},
	'the structure of lines': async (page) => {
		await give(page, 'email,first_name,last_name\nshort@faults.example,S\n\n,,\nlong@faults.example,L,L,L\n\u00a0ada@faults.example ,Ada,Lovelace\nopen@faults.example,"O,O\n');
		await use(page, 'email').waitFor();
		await spool();
		await fault(page, 2, 'The line has 2 fields, and the first line 3.');
		await fault(page, 5, 'The line has 4 fields, and the first line 3.');
		await fault(page, 7, '');
		await trial(page).locator('.figure', { hasText: 'New' }).getByText('1', { exact: true }).waitFor();
	},
	'two columns of one use': async (page) => {
		page.expected.push('/v1/imports');
		await give(page, 'E-Mail,Mail,Address,Vorname\nada@faults.example,old@faults.example,1 Way,Ada\n');
		await page.getByRole('alert').filter({ hasText: 'Email address: two columns may be it, “E-Mail” and “Mail”. Say which one is.' }).waitFor();
		await page.getByRole('cell', { name: 'old@faults.example' }).waitFor();
		if (await page.getByRole('button', { name: 'Import', exact: true }).isEnabled()) throw new Error('the file can be imported');
		await use(page, 'E-Mail').selectOption('Email address');
		await page.getByRole('button', { name: 'Try it like this' }).click();
		await page.getByRole('alert').waitFor({ state: 'detached' });
		for (const [column, want] of [['E-Mail', 'email'], ['Mail', 'ignore'], ['Address', 'ignore'], ['Vorname', 'first_name']])
			await page.is(() => use(page, column).inputValue(), want, `the column ${column} is taken otherwise`);
		// Another one for the same use leaves the first one out.
		await use(page, 'Mail').selectOption('Email address');
		await page.is(() => use(page, 'E-Mail').inputValue(), 'ignore', 'two columns are the email');
		await use(page, 'Vorname').selectOption('Leave out');
		await page.getByText('This is of the choices before.').waitFor();
	},
	'no column for the email': async (page) => {
		page.expected.push('/v1/imports');
		await give(page, 'Contact,Name\nada@faults.example,Ada\n');
		await page.getByRole('alert').filter({ hasText: 'No column is the email address' }).waitFor();
		await use(page, 'Contact').waitFor();
	},
	'flags': async (page) => {
		await give(page, 'email,subscribed,opt_out\nada@faults.example,ja,\nbo@faults.example,perhaps,\ncy@faults.example,yes,oui\n');
		await use(page, 'opt_out').waitFor();
		await page.is(() => use(page, 'opt_out').inputValue(), 'unsubscribed', 'opt_out is no inverse column');
		await spool();
		await fault(page, 3, 'Subscribed: say true or false.');
		await page.getByLabel('All people of the file are unsubscribed').check();
		await page.getByRole('button', { name: 'Try it like this' }).click();
		await page.settled();
		await page.getByText('This would come of the file.').waitFor();
	},
	'values that do not fit': async (page) => {
		await give(page, 'email,time_zone,language,age\nada@faults.example,Mars,de,36\nbo@faults.example,Europe/Berlin,?,1\ncy@faults.example,,,old\n');
		await use(page, 'age').selectOption('Property age');
		await page.getByRole('button', { name: 'Try it like this' }).click();
		await page.settled();
		await page.getByText('This would come of the file.').waitFor();
		await spool();
		await fault(page, 2, 'Time zone: a name as in Europe/Berlin is needed.');
		await fault(page, 3, 'Language: a tag like en or pt-BR is needed.');
		await fault(page, 4, 'Properties, age must be a number.');
		await page.getByLabel('Leave out a language, time zone or property').check();
		await page.getByRole('button', { name: 'Try it like this' }).click();
		await page.settled();
		await page.getByText('This would come of the file.').waitFor();
		await spool();
		await trial(page).getByText('(the line was taken)').first().waitFor();
		await trial(page).locator('.figure', { hasText: 'Refused' }).getByText('0', { exact: true }).waitFor();
	},
	'an empty file': async (page) => {
		page.expected.push('/v1/imports');
		await give(page, '');
		await page.getByRole('alert').filter({ hasText: 'The file is empty.' }).waitFor();
	},
};

async function showFaults(page, call, accessible) {
	for (const [name, show] of Object.entries(faults)) {
		await page.open('/people/import');
		await show(page).catch((why) => {
			throw new Error(`${name}: ${why.message}`);
		});
		await accessible(page, name);
		page.expected.length = 0;
		await spool(); // at most ten are not completed
	}
	const { people } = await call('GET', '/v1/people?search=ada@faults');
	if (people.length) throw new Error('a trial stores people');
}

/** A file that is imported while its reader is elsewhere. */
async function importAway(page, call, audience, accessible) {
	const rows = Array.from({ length: lines }, (_, i) => `person${i}@import.example,Person,${i % 90},city ${i % 7}`);
	rows[4] = `person4@import.example,${quoted(attack)},4,${quoted(`=1+1 ${attack}`)}`;
	rows[10] = `${quoted('<b onmouseover=alert(1)>')},Broken,1,x`;
	rows[20] = 'person20@import.example,Broken,old,x';
	rows[30] = `person30@import.example,${quoted('two\nlines')},3,x`;
	rows[40] = 'person39@import.example,Second,39,again';
	await page.open('/people');
	await page.getByRole('link', { name: 'Imports' }).click();
	await page.getByRole('heading', { level: 1, name: 'Imports' }).waitFor();
	// From an empty audience, too, and then into it.
	await page.open(`/audiences/${audience}`);
	await page.getByRole('link', { name: 'Import people' }).click();
	await give(page, `E-Mail,First name,age,City\r\n${rows.join('\r\n')}\r\n`, 'many.csv');
	await use(page, 'age').selectOption('Property age');
	await use(page, 'City').selectOption('Property City');
	await page.is(() => page.getByLabel('Into audience').inputValue(), audience, 'the import is into another audience');
	await page.getByRole('button', { name: 'Import', exact: true }).click();
	await page.getByRole('heading', { level: 1, name: 'many.csv' }).waitFor();
	await page.getByRole('link', { name: 'Into audience Imported' }).waitFor();
	await page.getByText('0 lines so far').waitFor();
	await page.open('/topics');
	await spool();
	await page.open('/people/import');
	const row = page.getByRole('row', { name: 'many.csv' }).filter({ hasNotText: 'Trial' });
	await row.getByText('Done').waitFor();
	await row.getByRole('link').click();
	await page.getByRole('heading', { level: 1, name: 'many.csv' }).waitFor();
	await page.settled();
	const figure = (name) => page.locator('.figure', { hasText: name }).locator('dd').innerText();
	// The second line of one address changed it.
	for (const [name, want] of [['Lines', '10,000'], ['New', '9,997'], ['Changed', '1'], ['Refused', '2']])
		await page.is(() => figure(name), want, name);
	await accessible(page, 'an import');
	await page.getByRole('row', { name: /12 Email address: .* is no email address\./ }).waitFor();
	await page.getByRole('row', { name: '22 Properties, age must be a number.' }).waitFor();
	const [download] = await Promise.all([page.waitForEvent('download'), page.getByRole('button', { name: 'Save the refused lines' }).click()]);
	const refused = readFileSync(await download.path(), 'utf8').trim().split('\r\n');
	if (refused.length !== 3 || !refused[0].endsWith('"error"') || !refused[2].startsWith('"person20@import.example","Broken","old","x",')) throw new Error(`refused.csv: ${refused.join('|')}`);
	const { contact_count } = await call('GET', `/v1/audiences/${audience}`);
	if (contact_count !== 9997) throw new Error(`the audience has ${contact_count} people`);
	const { first_name, properties } = await call('GET', '/v1/people/person30@import.example');
	if (first_name !== 'two\nlines' || properties.age !== 3) throw new Error(`stored: ${first_name} ${JSON.stringify(properties)}`);
	if ((await call('GET', '/v1/people/person39@import.example')).properties.City !== 'again') throw new Error('the last line of an address does not count');
}

/** An export is read back as it was, whatever the types and names of properties. */
async function exportAll(page, call) {
	const values = { email: 'no field', number: 7, digits: '7', list: [1, 'a'], yes: true, word: 'true', text: '-1 "x"' };
	await call('POST', '/v1/people', { email: 'typed@import.example', properties: values });
	await page.open('/people');
	const [download] = await Promise.all([page.waitForEvent('download', { timeout: 600_000 }), page.getByRole('button', { name: 'Export' }).click()]);
	const text = readFileSync(await download.path(), 'utf8');
	if (!text.includes(`person4@import.example,${quoted(attack)},`) || !text.includes(`"'=1+1 `)) throw new Error(`the formula is not guarded: ${text.split('\r\n').find((line) => line.startsWith('person4@'))}`);
	if (text.split('\r\n').filter((line) => /^person\d+@import\.example,/.test(line)).length !== 9997) throw new Error('people are missing');
	await call('DELETE', '/v1/people/typed@import.example');
	await page.open('/people/import');
	await give(page, text);
	await use(page, 'properties.email').waitFor();
	await page.getByRole('button', { name: 'Import', exact: true }).click();
	await page.getByText('lines so far').waitFor();
	await spool();
	await page.getByText('Done', { exact: true }).waitFor();
	const { properties } = await call('GET', '/v1/people/typed@import.example');
	for (const [name, want] of Object.entries(values))
		if (JSON.stringify(properties[name]) !== JSON.stringify(want)) throw new Error(`read back: ${name} is ${JSON.stringify(properties[name])}, want ${JSON.stringify(want)}`);
}

export default async function ({ page, call, accessible }) {
	await call('POST', '/v1/properties', { key: 'age', type: 'number' });
	const audience = await call('POST', '/v1/audiences', { name: 'Imported' });
	await showFaults(page, call, accessible);
	await importAway(page, call, audience.id, accessible);
	await exportAll(page, call);
	await page.open('/people/person4%40import.example');
	await call('DELETE', `/v1/audiences/${audience.id}`);
}
