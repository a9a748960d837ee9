// SPDX-License-Identifier: MIT
// Webhooks: one is added with its secret, a test is sent, its delivery and payload are shown; it is switched off and deleted.
export default async function ({ page }) {
	await page.open('/webhooks');
	await page.getByRole('button', { name: 'Add a webhook' }).click();
	await page.getByLabel('URL').fill('https://example.org/told');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('dialog').getByText(/whsec_/).waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('link', { name: 'https://example.org/told' }).click();
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByRole('row', { name: 'webhook.test' }).getByRole('button', { name: /^Attempts/ }).click();
	await page.getByText('"type": "webhook.test"').waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('switch', { name: 'Switched on' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('button', { name: 'Delete webhook' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
	await page.getByText('The webhook was deleted').waitFor();
	await page.waitForURL('**/webhooks');
	await page.settled();
}
