// SPDX-License-Identifier: MIT
// Settings: the workspace gets another name, which the audit shows; the page of choices gets its looks.
export default async function ({ page, call }) {
	await page.open('/settings');
	await page.getByLabel('Name').fill('Renamed');
	await page.getByRole('button', { name: 'Save' }).first().click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('button', { name: 'Workspace: Renamed' }).waitFor();
	await page.getByLabel('Title').fill('The Shop');
	await page.getByLabel('Language').selectOption('Deutsch');
	await page.getByLabel('Text above the buttons').fill('Schade!');
	await page.getByLabel('Colour of the buttons').fill('#102030');
	const answer = page.waitForResponse((response) => response.url().endsWith('/v1/page') && response.request().method() === 'PATCH');
	await page.locator('form').filter({ has: page.getByLabel('Title') }).getByRole('button', { name: 'Save' }).click();
	await answer;
	const { title, text, colour } = await call('GET', '/v1/page');
	if (title !== 'The Shop' || text.de !== 'Schade!' || colour !== '#102030') throw new Error(`the page of choices has ${title}, ${JSON.stringify(text)}, ${colour}`);
	await call('PATCH', '/v1/page', { title: null, text: { de: null }, colour: null });
	await page.open('/audit?action=workspace.changed');
	await page.getByRole('cell', { name: 'workspace.changed' }).first().waitFor();
}
