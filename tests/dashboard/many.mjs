// SPDX-License-Identifier: MIT
// Opens each page, searches, filters and sorts its list, and prints what the service took for each answer and the longest task of
// the page, in ms: the least of some rounds, for others use the machine too. Usage: many.mjs CHROMIUM fill, which prints what
// it made; many.mjs CHROMIUM walk MADE ROUNDS, which prints [[page, {request: ms}, task], ...]. The instance is in the environment.
import { chromium } from 'playwright-core';
import { fill, singlesOf, terminal } from './fill.mjs';

const [, , executablePath, order, made, rounds] = process.argv;
const { POSTHOUSE_URL: url, POSTHOUSE_DOMAIN: domain } = process.env;

// What people type: a common name, a rare one, three letters, the beginning of an address, both names, nobody.
const texts = ['maria', 'zzk', 'mic', 'anna.s', 'Thomas Sm', 'zqnobody'];
// How many people a segment or a broadcast has is counted from end to end, and has a bound of its own (make bench BENCH=segments).
const counts = /\/(count|check|preview)$|[?&]count=|group_by=recipient/;

async function walk(page, made, note) {
	const longest = async () => Math.max(0, ...(await page.evaluate(() => window.tasks)));
	const open = async (path) => {
		const before = await longest();
		await page.goto(`${url}/dashboard${path}`);
		await settled(page);
		return before;
	};
	note.page = '/';
	await open('/');
	const places = await page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href').replace(/^\/dashboard(\/w\/[^/]+)?/, '') || '/'));
	const everybody = `/audiences/${made.everybody}`;
	for (const path of [...places, ...singlesOf(made), everybody, `/broadcasts/${made.sent}`]) {
		note.page = path.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}') + (path === everybody ? ' of all' : path.endsWith(made.sent ?? '-') ? ' sent' : '');
		await open(path);
		const tasks = await lists(page, path, open);
		note.task(Math.max(...tasks, await longest()));
	}
}

/** What a reader does with a list: more of it, each choice of its filters, searches. The longest task before each of them. */
async function lists(page, path, open) {
	const more = page.getByRole('button', { name: 'Show more' }).first();
	if (await more.isVisible()) {
		await more.click();
		await settled(page);
	}
	const query = await page.locator('#main form[role=search] select').evaluateAll((all) =>
		all.flatMap((one) => [...one.options].filter(({ value }) => value).map(({ value }) => `${one.name}=${encodeURIComponent(value)}`)),
	);
	const searches = (await page.locator('#main input[name=search]').count()) ? texts.map((text) => `search=${encodeURIComponent(text)}`) : [];
	const tasks = [];
	for (const one of [...query, ...searches]) tasks.push(await open(`${path}?${one}`));
	return tasks;
}

async function settled(page) {
	await page.locator('h1').first().waitFor();
	await page.waitForLoadState('networkidle');
	const busy = page.locator('.loading, [aria-busy="true"]');
	while (await busy.count()) await busy.first().waitFor({ state: 'detached' });
}

/** What is noted: of each page the least that each of its requests took, and that its longest task took. */
function notes() {
	const pages = new Map();
	const now = () => pages.get(notes.page) ?? pages.set(notes.page, { asked: {}, task: Infinity }).get(notes.page);
	return {
		set page(name) {
			notes.page = name;
		},
		asked: (what, ms) => (now().asked[what] = Math.min(ms, now().asked[what] ?? Infinity)),
		task: (ms) => (now().task = Math.min(ms, now().task)),
		all: () => [...pages].map(([page, { asked, task }]) => [page, asked, task]).filter(([, , task]) => task < Infinity),
	};
}

async function timed(made) {
	const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'] });
	const page = await browser.newPage({ locale: 'en-GB', viewport: { width: 1280, height: 800 } });
	page.setDefaultTimeout(120_000);
	await page.addInitScript(() => {
		window.tasks = [];
		new PerformanceObserver((list) => window.tasks.push(...list.getEntries().map(({ duration }) => duration))).observe({ type: 'longtask', buffered: true });
	});
	const note = notes();
	page.on('requestfinished', (request) => {
		const { pathname, search } = new URL(request.url());
		const { requestStart, responseEnd } = request.timing();
		if (pathname.startsWith('/v1/') && request.method() === 'GET' && !counts.test(pathname + search) && requestStart >= 0)
			note.asked(pathname.replace(/[0-9a-f]{8}-[0-9a-f-]{27}/g, '{id}') + search.replace(/cursor=[^&]+/, 'cursor=…'), responseEnd - requestStart);
	});
	note.page = 'sign in';
	await page.goto(JSON.parse(terminal(['--json', 'user', 'link', `you@${domain}`])).url);
	await page.locator('nav a').first().waitFor();
	for (let round = 0; round < Number(rounds); round++) await walk(page, made, note);
	await browser.close();
	return note.all();
}

console.log(JSON.stringify(order === 'fill' ? await fill() : await timed(JSON.parse(made))));
