// SPDX-License-Identifier: MIT
// Requests: one that was refused stands here, with the service's own sentence.
export default async function ({ page, call }) {
	await call('GET', '/v1/emails?status=refused-by-test').catch(() => {});
	await page.open('/requests?status=refused');
	const row = page.getByRole('row', { name: /GET \/v1\/emails / }).filter({ hasText: 'status' }).first();
	// A request shows within a second or two.
	for (const end = Date.now() + 120_000; !(await row.count()) && Date.now() < end; ) await page.open('/requests?status=refused');
	await row.getByText('400').waitFor();
	await page.getByLabel('Outcome').selectOption('Failed (5xx)');
	await page.waitForURL('**/requests?status=failed');
	await page.settled();
	await page.getByRole('row', { name: /GET \/v1\/emails 400/ }).waitFor({ state: 'detached' });
}
