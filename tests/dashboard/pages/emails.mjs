// SPDX-License-Identifier: MIT
// Emails: filtered, opened, shown in a frame that runs nothing, sent now, sent again.
export default async function ({ page, made, fault }) {
	await page.open('/emails');
	await page.getByLabel('Status').selectOption('bounced');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.waitForURL('**/emails?status=bounced');
	await page.settled();
	await page.getByRole('link', { name: 'bounced@test.posthouse.invalid' }).click();
	await page.getByText('550 5.1.1 test address').waitFor();
	await page.getByText('The email came back for good.').waitFor();

	await page.open('/emails');
	await page.getByLabel('Kind').selectOption('Automation');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.getByText('No email fits these filters.').waitFor();
	await page.getByLabel('Kind').selectOption('Transactional');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.getByRole('link', { name: 'bounced@test.posthouse.invalid' }).first().waitFor();

	await page.open(`/emails/${made.email}`);
	const frame = page.frameLocator('iframe');
	await frame.getByText('Hello').waitFor();
	const sandbox = await page.locator('iframe').getAttribute('sandbox');
	if (sandbox !== 'allow-same-origin') fault('emails', `the frame may ${sandbox}`);
	if (await frame.locator('img[src]').count()) fault('emails', 'a picture stands in the frame before it was asked for');
	await page.getByRole('tab', { name: 'Source' }).click();
	await page.getByText('<style>').waitFor();
	await page.getByRole('button', { name: 'Send again' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
	await page.getByText('The email was sent again').waitFor();

	await page.open(`/emails/${made.scheduled}`);
	await page.getByRole('button', { name: 'Cancel sending' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel sending' }).click();
	await page.getByText('The email is cancelled').waitFor();
}
