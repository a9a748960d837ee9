// SPDX-License-Identifier: MIT
// Overview: what was sent today is counted, what waits says why, and what needs a hand leads to where it is mended.

/** Nothing is pushed down the page while its parts come. */
async function stays(signInByTerminal, domain, viewport) {
	const page = await signInByTerminal(`you@${domain}`, { viewport });
	await page.open('/');
	await page.locator('.chart canvas').waitFor();
	await page.settled();
	const moved = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.moved)))));
	if (moved > 0.05) throw new Error(`the overview moves while it comes, ${viewport.width} wide: ${moved}`);
	await page.context().close();
}

export default async function ({ page, made, call, domain, signInByTerminal }) {
	for (const [width, height] of [[1440, 900], [390, 844]]) await stays(signInByTerminal, domain, { width, height });
	const email = { from: `shop@${domain}`, to: 'later@example.net', subject: 'Later', text: 'Later', scheduled_at: Date.now() + 86_400_000 };
	const { id } = await call('POST', '/v1/emails', email);
	await page.open('/');
	await page.locator('.chart canvas').waitFor();
	// Figures of a period with those before it, and by what emails have in common.
	await page.getByLabel('Period').selectOption('The last 7 days');
	await page.waitForURL(({ search }) => search === '?days=7');
	await page.getByRole('heading', { name: 'The last 7 days' }).waitFor();
	await page.getByText(/^before: \d/).first().waitFor();
	await page.getByRole('group', { name: 'By' }).getByRole('cell', { name: domain, exact: true }).waitFor();
	await page.getByRole('combobox', { name: 'By', exact: true }).selectOption('Workflow');
	await page.settled();
	await page.locator('.chart').hover();
	await page.locator('.legend strong').first().waitFor();
	const waiting = page.getByRole('region', { name: 'Waiting' });
	await waiting.getByRole('row', { name: /^Planned Its time has not come\./ }).waitFor();
	await waiting.getByRole('group', { name: 'Relays' }).getByText('Takes mail').first().waitFor();
	await waiting.getByRole('row', { name: /^Planned/ }).getByRole('link').click();
	await page.waitForURL('**/emails/*');
	await call('DELETE', `/v1/emails/${id}`);
	await page.open('/');
	await page.getByText('The domain new.example waits for its DNS records.').waitFor();
	await page.locator('p', { hasText: 'new.example' }).getByRole('link', { name: 'See the records' }).click();
	await page.waitForURL(`**/domains/${made.domain}`);
	await page.keyboard.press('Control+k');
	await page.getByPlaceholder('A page, an address, an id of an email').fill('Emails');
	await page.keyboard.press('Enter');
	await page.waitForURL('**/emails');
	await page.settled();
}
