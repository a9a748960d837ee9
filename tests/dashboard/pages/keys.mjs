// SPDX-License-Identifier: MIT
// API keys: one is made, shown once, works, and is revoked.
export default async function ({ page, fault }) {
	await page.open('/keys');
	await page.getByRole('button', { name: 'Make a key' }).click();
	await page.getByLabel('Name').fill('For the shop');
	await page.getByLabel('May').selectOption('read');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	const key = await page.getByRole('dialog').locator('code').innerText();
	const { status } = await fetch(`${process.env.POSTHOUSE_URL}/v1/emails`, { headers: { Authorization: `Bearer ${key}` } });
	if (status !== 200) fault('keys', `the new key is answered with ${status}`);
	await page.keyboard.press('Escape');
	const row = page.getByRole('row', { name: 'For the shop' });
	await row.getByRole('button', { name: 'Revoke' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
	await row.getByText('Revoked').waitFor();
}
