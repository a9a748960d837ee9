// SPDX-License-Identifier: MIT
// Opens each page, reads its list on, filters, sorts and searches it as its reader does, and prints what the service took for each
// answer and the longest task of the page, in ms. A page that was slow is opened again, some times, and the least counts, for
// others use the machine too. Usage: many.mjs CHROMIUM fill, which prints what it made; many.mjs CHROMIUM walk MADE TIMES LIST TASK,
// which prints [[page, {request: ms}, task], ...]; slow is more than LIST or TASK ms. The instance is in the environment.
import { chromium } from 'playwright-core';
import { fill, singlesOf, terminal } from './fill.mjs';

const [, , executablePath, order, made, times, list, task] = process.argv;
const { POSTHOUSE_URL: url, POSTHOUSE_DOMAIN: domain } = process.env;

// What people type: a common name, a rare one, three letters, the beginning of an address, both names, nobody.
const texts = ['maria', 'zzk', 'mic', 'anna.s', 'Thomas Sm', 'zqnobody'];
// How many people a segment or a broadcast has is counted from end to end, and has a bound of its own (make bench BENCH=segments).
const counts = /\/(count|check|preview)$|[?&]count=|group_by=recipient/;

/** Every page: its path, and what it is called. */
async function pagesOf(page, made) {
	await page.goto(`${url}/dashboard/`);
	await page.locator('nav a').first().waitFor();
	const places = await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href').replace(/^\/dashboard(\/w\/[^/]+)?/, '') || '/'));
	const everybody = `/audiences/${made.everybody}`;
	const more = (path) => (path === everybody ? ' of all' : path === `/broadcasts/${made.sent}` ? ' sent' : '');
	const paths = [...places, ...singlesOf(made), everybody, `/broadcasts/${made.sent}`];
	return [...new Set(paths)].map((path) => ({ path, name: path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}') + more(path) }));
}

/** Opens a page, and does with its list what a reader does. Returns its longest task. */
async function visit(page, path) {
	await page.goto(`${url}/dashboard${path}`);
	await settled(page);
	const more = page.getByRole('button', { name: 'Show more' }).first();
	if (await more.isVisible()) {
		await more.click();
		await settled(page);
	}
	const query = await page.locator('#main form[role=search] select').evaluateAll((all) =>
		all.flatMap((one) => [...one.options].filter(({ value }) => value).map(({ value }) => `${one.name}=${encodeURIComponent(value)}`)),
	);
	const searches = (await page.locator('#main input[name=search]').count()) ? texts.map((text) => `search=${encodeURIComponent(text)}`) : [];
	for (const one of [...query, ...searches]) {
		// The address is what a form of filters sets.
		await page.evaluate((search) => history.pushState(null, '', search), `?${one}`);
		await settled(page);
	}
	return Math.max(0, ...(await page.evaluate(() => window.tasks)));
}

/** The page is whole: it waits for nothing, and draws nothing more. */
async function settled(page) {
	const busy = page.locator('.loading, .coming, [aria-busy="true"]');
	await page.locator('h1').first().waitFor();
	do {
		while (page.asked.size || (await busy.count())) await new Promise((done) => setTimeout(done, 5));
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestIdleCallback(done))));
	} while (page.asked.size || (await busy.count()));
}

async function timed(made) {
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] });
	const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(120_000);
	await page.addInitScript(() => {
		window.tasks = [];
		new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
	});
	page.asked = new Set();
	page.on('request', (request) => page.asked.add(request));
	page.on('requestfailed', (request) => page.asked.delete(request));
	let asked = {};
	page.on('requestfinished', (request) => {
		page.asked.delete(request);
		const { pathname, search } = new URL(request.url());
		const { requestStart, responseEnd } = request.timing();
		if (pathname.startsWith('/v1/') && request.method() === 'GET' && !counts.test(pathname + search) && requestStart >= 0)
			least(asked, pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}') + search.replace(/cursor=[^&]+/, 'cursor=…'), responseEnd - requestStart);
	});
	await page.goto(JSON.parse(terminal(['--json', 'user', 'link', `you@${domain}`])).url);
	await page.locator('nav a').first().waitFor();
	const found = [];
	for (const { path, name } of await pagesOf(page, made)) {
		const now = { asked: {}, task: Infinity };
		const slow = () => now.task > Number(task) || Object.values(now.asked).some((ms) => ms > Number(list));
		for (let time = 0; time < Number(times) && (!time || slow()); time++) {
			asked = now.asked;
			now.task = Math.min(now.task, await visit(page, path));
		}
		found.push([name, now.asked, now.task]);
	}
	await browser.close();
	return found;
}

const least = (all, name, ms) => (all[name] = Math.min(ms, all[name] ?? Infinity));

console.log(JSON.stringify(order === 'fill' ? await fill() : await timed(JSON.parse(made))));
