// SPDX-License-Identifier: MIT
// People: one is added, chooses a topic, and is deleted.
export default async function ({ page }) {
	await page.open('/people');
	await page.getByRole('button', { name: 'Add a person' }).click();
	await page.getByLabel('Email address').fill('alan@example.net');
	await page.getByLabel('First name').fill('Alan');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('link', { name: 'alan@example.net' }).click();
	await page.getByRole('switch').click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('cell', { name: 'Left a topic' }).waitFor();
	await page.getByRole('button', { name: 'Delete person' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).click();
	await page.waitForURL('**/dashboard/people');
	await page.settled();
}
