// SPDX-License-Identifier: MIT
// Users: one is added, changed and removed; the last owner stays.
export default async function ({ page, domain }) {
	await page.open('/users');
	await page.getByRole('button', { name: 'Add a user' }).click();
	await page.getByLabel('Email address').fill('grace@example.net');
	await page.getByLabel('Role').selectOption('viewer');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	const row = page.getByRole('row', { name: 'grace@example.net' });
	await row.getByText('Viewer').waitFor();
	await row.getByRole('button', { name: 'Change' }).click();
	await page.getByLabel('Role').selectOption('member');
	await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
	await row.getByText('Member').waitFor();
	await row.getByRole('button', { name: 'Remove' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
	await row.waitFor({ state: 'detached' });

	page.expected.push('/v1/users'); // 409: the last owner
	await page.getByRole('row', { name: `you@${domain}` }).getByRole('button', { name: 'Change' }).click();
	await page.getByLabel('Role').selectOption('viewer');
	await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
	await page.getByText('A workspace needs an owner').waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	page.expected.length = 0;
}
