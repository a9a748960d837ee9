// SPDX-License-Identifier: MIT
// Forms: one is made, shown as a snippet, changed and deleted.
export default async function ({ page, call }) {
	await call('POST', '/v1/audiences', { name: 'From the form' });
	await page.open('/forms');
	await page.getByRole('button', { name: 'Make a form' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Form').fill('Join us');
	await dialog.getByLabel('Audience').selectOption('From the form');
	await dialog.getByRole('checkbox', { name: 'First name' }).check();
	await dialog.getByRole('button', { name: 'Create' }).click();
	const row = page.getByRole('row', { name: /Join us/ });
	await row.getByRole('cell', { name: 'From the form' }).waitFor();
	await row.getByRole('button', { name: 'Snippet' }).click();
	await dialog.getByText('first_name').waitFor();
	await dialog.getByRole('button', { name: 'Close' }).click();
	await row.getByRole('button', { name: 'Change' }).click();
	await dialog.getByLabel('Then go to').fill('https://example.com/thanks');
	await dialog.getByLabel('Sites whose scripts may use it').fill('https://www.example.com\nhttps://shop.example');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	const { forms } = await call('GET', '/v1/forms');
	const made = forms.find(({ name }) => name === 'Join us');
	if (made?.redirect_url !== 'https://example.com/thanks' || made.fields[0] !== 'first_name' || made.origins.join() !== 'https://www.example.com,https://shop.example') throw new Error(`stored: ${JSON.stringify(made)}`);
	await row.getByRole('button', { name: 'Change' }).click();
	await dialog.getByLabel('Sites whose scripts may use it').fill('');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	if ((await call('GET', `/v1/forms/${made.id}`)).origins !== null) throw new Error('no site is not any site');
	await row.getByRole('button', { name: 'Delete' }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await row.waitFor({ state: 'detached' });
	await page.settled();
}
