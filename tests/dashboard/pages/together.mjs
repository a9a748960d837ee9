// SPDX-License-Identifier: MIT
// The parts of a page come together. Nothing of the page that was left holds it back, nor what is late, fails, or is offline.
const start = (page, path) => page.goto(`${process.env.POSTHOUSE_URL}/dashboard${path}`);
const link = (page, name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
const whole = (page, name) => page.locator('.page:not(.coming)').filter({ has: page.getByRole('heading', { level: 1, name, exact: true }) }).waitFor();
/** Lets what was held go on, until its answer is there. */
const free = async (page, asks, go) => {
	const answer = page.waitForResponse(asks);
	go();
	await answer;
	await page.unroute(asks);
};
const coming = (page) => page.locator('.page.coming');

async function left(page) {
	await page.open('/domains');
	const people = await page.hold(/\/v1\/people(\?|$)/, 1);
	await link(page, 'People').click();
	await people.there();
	// The filters are there already; the rest is announced once.
	await page.getByRole('searchbox', { name: 'Search' }).waitFor();
	if ((await coming(page).count()) !== 1) throw new Error('the page is shown before its list');
	const said = await page.getByRole('status').filter({ hasText: 'Loading' }).count();
	if (said !== 1) throw new Error(`${said} parts say that they load`);
	await link(page, 'Topics').click();
	await whole(page, 'Topics');
	await page.getByRole('row').nth(1).waitFor();
	await free(page, /\/v1\/people(\?|$)/, people.go);
}

async function drawing(page, { workflow }) {
	const names = await page.hold(/\/v1\/templates(\?|$)/, 1);
	await start(page, `/workflows/${workflow}`);
	await names.there();
	const node = page.locator('.react-flow__node').first();
	await page.until(() => document.querySelector('.react-flow__node')?.style.visibility === 'visible');
	if (await node.isVisible()) throw new Error('the drawing is seen before the page');
	await free(page, /\/v1\/templates(\?|$)/, names.go);
	await whole(page, 'Reminder');
	await node.waitFor();
}

async function late(page, { workflow, segment }) {
	const cases = [
		{ path: `/workflows/${workflow}`, asks: /\/v1\/workflows\/[^/]+\/executions/, sees: page.locator('.react-flow__node').first() },
		{ path: `/segments/${segment}`, asks: /\/v1\/segments\/[^/]+\/people/, sees: page.getByRole('textbox', { name: 'Segment' }) },
	];
	for (const { path, asks, sees } of cases) {
		const answer = await page.hold(asks, 1);
		await start(page, path);
		await answer.there();
		await sees.waitFor();
		if (await coming(page).count()) throw new Error(`${path} waits for what is late`);
		await free(page, asks, answer.go);
		await page.settled();
	}
}

/** The first answer is a failure, and the next one is held. */
async function failing(page) {
	for (const [address, path, name] of [['**/v1/session/notes', '/people', 'People'], [/\/v1\/topics(\?|$)/, '/topics', 'Topics']]) {
		let asked = 0;
		let go;
		const held = new Promise((done) => (go = done));
		await page.route(address, async (route) => {
			if (!asked++) return route.fulfill({ status: 503, json: { message: 'Try again' } });
			await held;
			await route.continue();
		});
		page.expected.push('503');
		await start(page, path);
		await whole(page, name);
		await free(page, address, go);
		await page.getByRole('row').nth(1).waitFor();
		await page.settled();
		page.expected.length = 0;
	}
}

async function offline(page, { webhook }, call) {
	const { id } = await call('POST', '/v1/webhooks', { url: 'https://example.org/second', events: ['*'] });
	await page.open(`/webhooks/${webhook}`);
	await page.locator('a.back').click();
	await page.getByRole('link', { name: 'https://example.org/second' }).waitFor();
	await page.settled();
	page.expected.push('ERR_INTERNET_DISCONNECTED'); // the icon of the page
	await page.context().setOffline(true);
	await page.getByRole('link', { name: 'https://example.org/second' }).click();
	await page.locator('.page:not(.coming) .loading').first().waitFor();
	await page.context().setOffline(false);
	await page.getByRole('heading', { level: 1, name: 'https://example.org/second' }).waitFor();
	await page.settled();
	await start(page, '/webhooks');
	await page.settled();
	await call('DELETE', `/v1/webhooks/${id}`);
}

/** On a phone, too, nothing moves while every second answer comes late: heads grow by what they know then. */
async function narrow(page, { audience, broadcast, domain, email, workflow }) {
	for (const path of [`/audiences/${audience}`, '/people/ada%40example.net', `/broadcasts/${broadcast}`, `/domains/${domain}`, `/emails/${email}`, `/workflows/${workflow}/versions`]) {
		await page.open(path);
		const moved = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.moved)))));
		if (moved > 0.05) throw new Error(`${path} moves by ${moved} on a phone`);
	}
	const tab = page.locator('.flow-tabs [aria-current]');
	const { hidden, isWider } = await tab.evaluate((one) => {
		const [own, all] = [one, one.parentElement].map((some) => some.getBoundingClientRect());
		return { hidden: Math.max(own.right - all.right, all.left - own.left), isWider: one.parentElement.scrollWidth > one.parentElement.clientWidth };
	});
	if (!isWider) throw new Error('all tabs fit on a phone');
	if (hidden > 0) throw new Error(`the tab of the page is ${hidden} px out of sight`);
}

export default async function ({ made, call, domain, signInByTerminal }) {
	const page = await signInByTerminal(`you@${domain}`);
	// Its clock stands: no page is shown because the longest time has passed.
	await page.addInitScript(() => (performance.now = () => 0));
	await left(page);
	await drawing(page, made);
	await late(page, made);
	await failing(page);
	await offline(page, made, call);
	await page.context().close();
	const phone = await signInByTerminal(`you@${domain}`, { viewport: { width: 390, height: 800 }, late: 200 });
	await narrow(phone, made);
	await phone.context().close();
}
