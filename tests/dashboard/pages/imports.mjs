// SPDX-License-Identifier: MIT
// An import of 10,000 lines with its progress and its faults by line, and an export that says the same.
import { readFileSync } from 'node:fs';
import { attack } from '../fill.mjs';

const lines = 10_000;

export default async function ({ page, call, fault }) {
	await call('POST', '/v1/properties', { key: 'age', type: 'number' });
	const audience = await call('POST', '/v1/audiences', { name: 'Imported' });
	const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
	const rows = Array.from({ length: lines }, (_, i) => `person${i}@import.example,Person,${i % 90},city ${i % 7}`);
	rows[4] = `person4@import.example,${quoted(attack)},4,${quoted(`=1+1 ${attack}`)}`;
	rows[10] = `${quoted('<b onmouseover=alert(1)>')},Broken,1,x`;
	rows[20] = 'person20@import.example,Broken,old,x';
	rows[30] = `person30@import.example,${quoted('two\nlines')},3,x`;
	rows[40] = 'person39@import.example,Second,39,again';

	await page.open('/people');
	await page.getByRole('link', { name: 'Import' }).click();
	await page.getByLabel('File').setInputFiles({ name: 'people.csv', mimeType: 'text/csv', buffer: Buffer.from(`E-Mail,First name,age,City\r\n${rows.join('\r\n')}\r\n`) });
	await page.getByLabel('Into audience').selectOption('Imported');
	for (const [column, use] of [['E-Mail', 'email'], ['First name', 'first_name'], ['age', 'property:age'], ['City', 'property:City']])
		if ((await page.getByLabel(`Column ${column} is taken as`).inputValue()) !== use) fault('import', `the column ${column} is not taken as ${use}`);
	await page.getByRole('button', { name: 'Import 10,000 lines' }).click();
	await page.getByText('The import is done.').waitFor({ timeout: 600_000 });
	const figure = (name) => page.locator('.figure', { hasText: name }).locator('dd').innerText();
	// The second line of one address changed it.
	for (const [name, want] of [['New', '9,997'], ['Changed', '1'], ['Refused', '2']])
		if ((await figure(name)) !== want) fault('import', `${name}: got ${await figure(name)}, want ${want}`);
	await page.getByRole('row', { name: '12 <b onmouseover=alert(1)>' }).waitFor();
	await page.getByRole('row', { name: '22 person20@import.example properties.age must be a number' }).waitFor();
	const { contact_count } = await call('GET', `/v1/audiences/${audience.id}`);
	if (contact_count !== 9997) fault('import', `the audience has ${contact_count} people`);
	const { first_name, properties } = await call('GET', '/v1/people/person30@import.example');
	if (first_name !== 'two\nlines' || properties.age !== 3) fault('import', `stored: ${first_name} ${JSON.stringify(properties)}`);
	if ((await call('GET', '/v1/people/person39@import.example')).properties.City !== 'again') fault('import', 'the last line of an address does not count');

	await page.open('/people');
	const [download] = await Promise.all([page.waitForEvent('download', { timeout: 600_000 }), page.getByRole('button', { name: 'Export' }).click()]);
	const text = readFileSync(await download.path(), 'utf8');
	if (!text.includes(`person4@import.example,${quoted(attack)},`) || !text.includes(`"'=1+1 `)) fault('export', `the formula is not guarded: ${text.split('\r\n').find((line) => line.startsWith('person4@'))}`);
	if (text.split('\r\n').filter((line) => /^person\d+@import\.example,/.test(line)).length !== 9997) fault('export', 'people are missing');
	await page.open('/people/person4%40import.example');
	await call('DELETE', `/v1/audiences/${audience.id}`);
}
