// SPDX-License-Identifier: MIT
// Topics: one is made, changed and deleted.
export default async function ({ page }) {
	await page.open('/topics');
	await page.getByRole('button', { name: 'Make a topic' }).click();
	await page.getByRole('textbox', { name: 'Topic' }).fill('Offers');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('row', { name: 'Offers' }).getByRole('button', { name: 'Change' }).click();
	await page.getByRole('textbox', { name: 'Topic' }).fill('Rare offers');
	await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
	const row = page.getByRole('row', { name: 'Rare offers' });
	await row.getByRole('button', { name: 'Delete' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click();
	await row.waitFor({ state: 'detached' });
}
