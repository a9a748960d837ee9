// SPDX-License-Identifier: MIT
// Overview: its files are small; what was sent today is counted, what waits says why, and what needs a hand leads to where it is mended.
import { gzipSync } from 'node:zlib';

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

/** The overview comes with at most 200,000 bytes, packed, in each language. */
async function small(signInByTerminal, domain) {
	for (const locale of ['en-GB', 'de-DE']) {
		const page = await signInByTerminal(`you@${domain}`, { locale });
		await page.open('/');
		await page.locator('.chart canvas').waitFor();
		await page.settled();
		const files = await page.evaluate(() => performance.getEntriesByType('resource').map(({ name }) => name).filter((name) => new URL(name).pathname.startsWith('/dashboard/')));
		for (const part of ['app-start', 'words-', 'overview-chart', '.css']) if (!files.some((name) => name.includes(part))) throw new Error(`the overview came without ${part}`);
		const sizes = await Promise.all([page.url(), ...new Set(files)].map(async (name) => gzipSync(Buffer.from(await (await fetch(name)).arrayBuffer())).length));
		const sum = sizes.reduce((all, size) => all + size, 0);
		if (sum > 200_000) throw new Error(`the overview loads ${sum} bytes (${locale})`);
		await page.context().close();
	}
}

/** A day's values stand in the legend, and no line hides another. */
async function chart(call, signInByTerminal, domain) {
	const page = await signInByTerminal(`you@${domain}`);
	await page.addInitScript(() => {
		window.dashes = new Set();
		const { setLineDash } = CanvasRenderingContext2D.prototype;
		CanvasRenderingContext2D.prototype.setLineDash = function (dash) {
			window.dashes.add(dash.join());
			setLineDash.call(this, dash);
		};
	});
	await page.open('/?days=7');
	const plot = page.locator('.chart .u-over');
	await plot.waitFor();
	await page.settled();
	const values = async () => (await page.locator('.legend strong').allInnerTexts()).map((text) => Number(text.replaceAll(',', ''))).join();
	const hover = async (share) => {
		const { width, height } = await plot.boundingBox();
		await plot.hover({ position: { x: Math.round((width - 2) * share) + 1, y: height / 2 } });
	};
	await hover(0);
	await page.is(values, '0,0,0,0', 'the legend of a day without mail');
	await hover(1);
	const { stats } = await call('GET', `/v1/stats?group_by=day&from=${new Date().toISOString().slice(0, 10)}`);
	const { sent, delivered, opened, bounced } = stats[0];
	if (!sent) throw new Error(`nothing was sent today: ${JSON.stringify(stats)}`);
	await page.is(values, [sent, delivered, opened, bounced].join(), 'the legend of today');
	const dashes = await page.evaluate(() => [...window.dashes]);
	if (dashes.length < 4) throw new Error(`four lines are drawn with ${dashes.length} patterns: ${dashes.join(' | ')}`);
	await page.context().close();
}

/** Sums of a period stand beside those of as many days before it. */
async function compared(signInByTerminal, domain) {
	const page = await signInByTerminal(`you@${domain}`);
	const day = 86_400_000;
	let from;
	await page.route(/\/v1\/stats\?(.*&)?group_by=day(&|$)/, async (route) => {
		from = new URL(route.request().url()).searchParams.get('from');
		const stats = Array.from({ length: 14 }, (_, index) => ({ key: new Date(Date.parse(from) + index * day).toISOString().slice(0, 10), sent: 2 ** (index + 1), delivered: 2 ** index, opened: index, bounced: 1, complained: 0 }));
		await route.fulfill({ json: { stats, cursor: null } });
	});
	await page.open('/?days=7');
	const sums = page.locator('.section', { has: page.getByRole('heading', { name: 'The last 7 days' }) }).locator('.figure');
	await sums.getByText('before: 254', { exact: true }).waitFor();
	const texts = await sums.evaluateAll((all) => all.map((one) => [...one.children].map(({ textContent }) => textContent).join(' ')));
	const want = 'Sent 32,512 before: 254; Delivered 16,25650% before: 127; Opened 700.2% before: 21; Bounced 70% before: 7; Complained 00% before: 0';
	if (texts.join('; ') !== want) throw new Error(`the sums of 7 days: ${texts.join('; ')}`);
	if (Date.parse(from) !== (Math.floor(Date.now() / day) - 13) * day) throw new Error(`the days before begin at ${from}`);
	await page.context().close();
}

export default async function ({ page, made, call, domain, signInByTerminal }) {
	await small(signInByTerminal, domain);
	await chart(call, signInByTerminal, domain);
	await compared(signInByTerminal, domain);
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
	await page.getByRole('option', { name: 'Emails', exact: true, selected: true }).waitFor();
	await page.keyboard.press('Enter');
	await page.waitForURL('**/emails');
	await page.settled();
}
