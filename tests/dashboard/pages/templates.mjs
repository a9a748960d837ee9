// SPDX-License-Identifier: MIT
// Templates: one is made, written, previewed with values as the service renders it, tested and deleted.
export default async function ({ page }) {
	await page.open('/templates');
	await page.getByRole('button', { name: 'Make a template' }).click();
	await page.getByRole('textbox', { name: 'Template' }).fill('Welcome');
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{name}}');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('textbox', { name: 'HTML' }).fill('<p>Welcome, {{name}}</p>');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('textbox', { name: 'Sample values' }).fill('{"name": "Ada"}');
	await page.getByText('Dear Ada').waitFor();
	await page.frameLocator('iframe').getByText('Welcome, Ada').waitFor();
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByLabel('To').fill('delivered@test.posthouse.invalid');
	await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
	await page.getByText('The test is on its way').waitFor();
	await page.getByRole('button', { name: 'Delete template' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
	await page.waitForURL('**/dashboard/templates');
	await page.settled();
}
