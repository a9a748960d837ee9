// SPDX-License-Identifier: MIT
// Overview: what was sent today is counted, and what needs a hand leads to where it is mended.
export default async function ({ page, made }) {
	await page.open('/');
	await page.locator('.chart canvas').waitFor();
	await page.getByText('The domain new.example waits for its DNS records.').waitFor();
	await page.locator('p', { hasText: 'new.example' }).getByRole('link', { name: 'See the records' }).click();
	await page.waitForURL(`**/dashboard/domains/${made.domain}`);
	await page.keyboard.press('Control+k');
	await page.getByPlaceholder('A page, an address, an id of an email').fill('Emails');
	await page.keyboard.press('Enter');
	await page.waitForURL('**/dashboard/emails');
	await page.settled();
}
