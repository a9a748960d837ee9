// SPDX-License-Identifier: MIT
// Suppressions: an address is added and removed.
export default async function ({ page }) {
	await page.open('/suppressions');
	await page.getByRole('button', { name: 'Add an address' }).click();
	await page.getByLabel('Email address').fill('no@example.net');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	const row = page.getByRole('row', { name: 'no@example.net' });
	await row.getByText('Added by hand').waitFor();
	await row.getByRole('button', { name: 'Remove' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
	await row.waitFor({ state: 'detached' });
}
