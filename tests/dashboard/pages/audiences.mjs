// SPDX-License-Identifier: MIT
// Audiences: one is made, a person comes in and is taken out, and it is deleted.
export default async function ({ page }) {
	await page.open('/audiences');
	await page.getByRole('button', { name: 'Make an audience' }).click();
	await page.getByRole('textbox', { name: 'Audience' }).fill('Readers');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('link', { name: 'Readers' }).click();
	await page.getByRole('button', { name: 'Add a person' }).click();
	await page.getByLabel('Email address').fill('reader@example.net');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByText('1 people, 0 of them not subscribed.').waitFor();
	await page.getByRole('button', { name: 'Take out' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click();
	await page.getByText('Nobody is in it yet').waitFor();
	await page.getByRole('button', { name: 'Delete audience' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete audience' }).click();
	await page.waitForURL('**/dashboard/audiences');
	await page.settled();
}
