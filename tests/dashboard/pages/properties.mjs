// SPDX-License-Identifier: MIT
// Properties: one is made with its type and what stands for it, is changed and deleted.
export default async function ({ page, call, accessible }) {
	const dialog = page.getByRole('dialog');
	const stored = async () => (await call('GET', '/v1/properties')).properties.find(({ key }) => key === 'visits');
	await page.open('/properties');
	await page.getByRole('button', { name: 'Make a property' }).click();
	await dialog.getByLabel('Name').fill('visits');
	await dialog.getByLabel('Type').selectOption('Number');
	await dialog.getByLabel('Without a value').fill('7');
	await accessible(page, 'a property is made');
	await dialog.getByRole('button', { name: 'Create' }).click();
	const row = page.getByRole('row', { name: 'visits' });
	await row.getByText('Number').waitFor();
	if ((await stored()).default !== 7 || (await stored()).type !== 'number') throw new Error(`stored: ${JSON.stringify(await stored())}`);
	await row.getByRole('button', { name: 'Change' }).click();
	await dialog.getByLabel('Without a value').fill('');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	if ((await stored()).default !== null) throw new Error('what stands for it stays');
	await row.getByRole('button', { name: 'Delete' }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await row.waitFor({ state: 'detached' });
	if (await stored()) throw new Error('the property is still there');
}
