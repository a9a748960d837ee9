// SPDX-License-Identifier: MIT
// Domains: one is added, its records are shown, tracking is switched, and it is deleted again.
export default async function ({ page, call, fault }) {
	await page.open('/domains');
	page.expected.push('/v1/domains'); // 400: no name of a domain
	await page.getByRole('button', { name: 'Add a domain' }).click();
	await page.getByRole('textbox', { name: 'Domain' }).fill('not a domain');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('dialog').getByRole('alert').waitFor();
	await page.getByRole('textbox', { name: 'Domain' }).fill('second.example');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('heading', { name: 'second.example' }).waitFor();
	page.expected.length = 0;
	await page.getByText('_dmarc.second.example', { exact: true }).waitFor();
	await page.getByText('As a zone file').click();
	await page.getByText('_dmarc.second.example. IN TXT').waitFor();
	await page.getByRole('switch', { name: 'Count opens' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('button', { name: 'Delete domain' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
	await page.waitForURL('**/dashboard/domains');
	const { domains } = await call('GET', '/v1/domains');
	if (domains.some(({ name }) => name === 'second.example')) fault('domains', 'second.example is still there');
}
