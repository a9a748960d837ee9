// SPDX-License-Identifier: MIT
// Received mail: it is found, read, forwarded and deleted; a domain's routes are made, changed and deleted, and receiving is switched.
export default async function ({ page, call }) {
	const dialog = page.getByRole('dialog');
	await page.open('/received?from=ann%40example.net');
	await page.getByRole('link', { name: 'Re: ' }).first().click();
	await page.getByText('It works.').waitFor();
	await page.settled();
	if (await page.getByText('On Monday').isVisible()) throw new Error('what is quoted is new');
	await page.getByRole('tab', { name: 'Source' }).click();
	await page.getByText('Message-ID: <2@example.net>').waitFor();
	const download = page.waitForEvent('download');
	await page.getByRole('button', { name: 'Save list.csv' }).click();
	if ((await download).suggestedFilename() !== 'list.csv') throw new Error('the attachment has another name');
	await page.getByRole('button', { name: 'Forward' }).click();
	await dialog.getByLabel('To', { exact: true }).fill('boss@example.net');
	await dialog.getByRole('button', { name: 'Forward' }).click();
	await page.getByRole('link', { name: 'boss@example.net' }).waitFor();

	const { domains } = await call('GET', '/v1/domains');
	await page.open(`/domains/${domains.find(({ name }) => name === 'desk.example').id}`);
	await page.getByRole('button', { name: 'Add a route' }).click();
	await dialog.getByLabel('Address before the @').fill('sales');
	await dialog.getByLabel('Then').selectOption('keep and forward it');
	await dialog.getByLabel('To', { exact: true }).fill('boss@example.net');
	await dialog.getByRole('button', { name: 'Add', exact: true }).click();
	const row = page.getByRole('row', { name: 'sales' });
	await row.getByText('keep and forward it: boss@example.net').waitFor();
	// It is changed: what belongs to the action of before goes with it.
	await row.getByRole('button', { name: 'Edit' }).click();
	await page.is(() => dialog.getByLabel('To', { exact: true }).inputValue(), 'boss@example.net', 'the form of a route does not begin with what is stored');
	await dialog.getByLabel('Address before the @').fill('sales*');
	await dialog.getByLabel('Then').selectOption('refuse it');
	await dialog.getByLabel('Reason').fill('We have moved');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('row', { name: 'sales*' }).getByText('refuse it: We have moved').waitFor();
	await row.getByRole('button', { name: 'Edit' }).click();
	await dialog.getByLabel('Then').selectOption('keep it');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await row.getByText('keep it', { exact: true }).waitFor();
	await row.getByRole('button', { name: 'Delete' }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await row.waitFor({ state: 'detached' });
	await page.getByRole('switch', { name: 'Track answers' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();

	await page.open('/received');
	await page.getByRole('link', { name: 'Re: ' }).first().click();
	await page.getByRole('button', { name: 'Delete', exact: true }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await page.waitForURL('**/received');
}
