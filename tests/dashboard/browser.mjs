// SPDX-License-Identifier: MIT
// Signs in by mail, opens each page in light, dark and phone width, lets each page's own test run, then looks as a viewer.
// Usage: browser.mjs CHROMIUM; the instance is in the environment. PAGES='imports people' runs the tests of these pages alone.
// LATE=300 lets questions to the service and their answers come so many ms later in sum, LATE=0-1000 at random, LATE='1000 PATCH POST'
// those of these methods alone; SLOW=4 makes the browser so many times slower: both show a test that looks before the page is there.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { chromium } from 'playwright-core';
import { call as request, fill, singlesOf } from './fill.mjs';

const { POSTHOUSE_URL: url, POSTHOUSE_DOMAIN: domain, POSTHOUSE_MAILDIR: maildir } = process.env;
const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const patience = Number(process.env.PATIENCE ?? 120_000);
const [span, ...methods] = (process.env.LATE ?? '0').split(' ');
const lateness = [Number(span.split('-')[0]), Number(span.split('-').pop()), ...methods];
const slow = Number(process.env.SLOW ?? 0);
const wide = { width: 1280, height: 800 };
const faults = [];
const fault = (where, what) => faults.push(`${where}: ${what}`);

// A page that still shows a thing may ask for it once more when a test has deleted it.
const gone = [];
// What a page's test has made here and not deleted.
let left = [];
const kinds = /^\/v1\/(audiences|broadcasts|domains|forms|people|properties|segments|suppressions|templates|topics|users|webhooks|workflows)$/;
const call = async (method, path, ...more) => {
	if (method === 'DELETE') {
		gone.push(url + path);
		left = left.filter((one) => one !== path);
	}
	const answer = await request(method, path, ...more);
	if (method === 'POST' && kinds.test(path)) left.push(`${path}/${answer.id ?? answer.workflow_id ?? answer.key ?? answer.email}`);
	return answer;
};

const made = await fill();
const singles = singlesOf(made);
const browser = await chromium.launch({
	executablePath: process.argv[2],
	args: ['--no-sandbox', '--disable-gpu', '--no-proxy-server', '--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1'],
});

/** Runs in each page: looks at every dialog once it is whole, and at what comes into it later; tells what axe-core finds. */
function dialogsWatch() {
	if (window !== top) return;
	let axe;
	const busy = new Set();
	const changed = new Set();
	const told = new Set();
	let last = Promise.resolve();
	const frame = () => new Promise(requestAnimationFrame);
	// What is being loaded moves without an end.
	const moves = (dialog) => dialog.getAnimations({ subtree: true }).filter(({ effect }) => effect.getComputedTiming().endTime !== Infinity);
	const whole = async (dialog) => {
		while (dialog.isConnected && dialog.querySelector('.loading, [aria-busy="true"]')) await frame();
		await frame();
		await Promise.allSettled(moves(dialog).map(({ finished }) => finished));
	};
	const look = async (dialog) => {
		const name = dialog.querySelector('h2')?.textContent;
		axe ??= window.axeMade(); // of its own: the tests' runs go on beside it
		const { violations } = await axe.run(dialog, { iframes: false, resultTypes: ['violations'] });
		// What has gone meanwhile cannot be judged.
		for (const { id, nodes } of violations)
			for (const { target, any } of nodes) {
				const what = `axe (dialog ${name}): ${id}: ${target} ${any[0]?.message ?? ''}`;
				if (document.querySelector(target[0]) && !told.has(what)) console.error(what);
				told.add(what);
			}
		console.debug(`looked at dialog ${name}`);
	};
	const watch = async (dialog) => {
		changed.add(dialog);
		if (busy.has(dialog)) return;
		busy.add(dialog);
		while (dialog.isConnected && changed.delete(dialog)) {
			await whole(dialog);
			// One run at a time.
			last = last.then(() => dialog.isConnected && look(dialog)).catch((why) => dialog.isConnected && console.error(`axe (dialog): ${why.message}`));
			await last;
		}
		busy.delete(dialog);
	};
	const dialogs = '[role="dialog"]';
	new MutationObserver((all) => {
		const found = new Set();
		for (const { target, addedNodes } of all) {
			const one = target.closest?.(dialogs);
			if (one && addedNodes.length) found.add(one);
			for (const node of addedNodes) if (node.matches) [node, ...node.querySelectorAll(dialogs)].forEach((part) => part.matches(dialogs) && found.add(part));
		}
		found.forEach((dialog) => void watch(dialog));
	}).observe(document, { childList: true, subtree: true });
}
const dialogs = new Set();
// Each page can make axe-core, which is large, and is sent to it once.
const axeScript = `window.axeMade = () => { ${axe}; const own = window.axe; delete window.axe; return own; };`;

/** Runs in each page: counts what it waits for of the service, and lets each question go and each answer come later, or each second one. */
function answersWatch([least, most, ...methods], isSecond) {
	const { fetch } = window;
	let asked = 0;
	window.awaited = 0;
	const counted = async (made) => {
		window.awaited++;
		try {
			return await made;
		} finally {
			window.awaited--;
		}
	};
	const late = async (what, how) => {
		const isLate = most && (!methods.length || methods.includes(what.method ?? how?.method ?? 'GET')) && (!isSecond || ++asked % 2);
		const half = () => isLate && new Promise((done) => setTimeout(done, (least + Math.random() * (most - least)) / 2));
		await half();
		const answer = await fetch(what, how);
		await half();
		return answer;
	};
	window.fetch = (what, how) => counted(late(what, how));
	for (const name of ['blob', 'json', 'text']) {
		const read = Response.prototype[name];
		Response.prototype[name] = function () {
			return counted(read.call(this));
		};
	}
}

/** Runs in a page: until it has its title, and for some frames nothing is asked for or being loaded; tells whether that came in time. */
async function settledWatch(ms) {
	const end = Date.now() + ms;
	const isQuiet = () => !window.awaited && document.querySelector('h1') && !document.querySelector('.loading, .coming, [aria-busy="true"]');
	for (let quiet = 0; quiet < 3; quiet = isQuiet() ? quiet + 1 : 0) {
		if (Date.now() > end) return false;
		await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
	}
	return true;
}

/** A page in a browser of its own, which notes what goes wrong in it. With `late` each second answer comes so many ms later. */
async function visitor({ late, ...options } = {}) {
	const context = await browser.newContext({ locale: 'en-GB', viewport: wide, ...options });
	const page = await context.newPage();
	page.setDefaultTimeout(patience);
	await page.addInitScript({ content: `(${answersWatch})(${JSON.stringify(late ? [late, late] : lateness)}, ${!!late})` });
	if (slow) await (await context.newCDPSession(page)).send('Emulation.setCPUThrottlingRate', { rate: slow });
	await page.addInitScript(() => addEventListener('securitypolicyviolation', (event) => console.error(`violates ${event.violatedDirective}: ${event.target.nodeName} ${event.sample} ${event.sourceFile}:${event.lineNumber}`)));
	// The parts of a page come together: none pushes another down the page.
	await page.addInitScript(() => {
		window.moved = 0;
		new PerformanceObserver((list) => list.getEntries().forEach(({ value, hadRecentInput }) => (window.moved += hadRecentInput ? 0 : value))).observe({ type: 'layout-shift', buffered: true });
	});
	// Chromium tells when it keeps the frame of an email from running something; that of an email which is only shown runs nothing.
	const always = [`Blocked script execution in '${url}/dashboard/frame/`];
	await page.addInitScript({ content: `${axeScript}(${dialogsWatch})()` });
	page.expected = [];
	const where = () => new URL(page.url()).pathname;
	const wrong = (text) => [...(where().includes('/emails/') ? [] : always), ...page.expected].some((one) => text.includes(one)) || fault(where(), text);
	page.on('console', (said) => {
		const late = said.text().includes('404') && gone.some((path) => said.location().url.startsWith(path));
		if (said.text().startsWith('looked at dialog ')) dialogs.add(said.text());
		if (said.type() === 'error' && !late) wrong(`console: ${said.text()} ${said.location().url}`);
	});
	page.on('pageerror', (why) => wrong(`script: ${why.message}`));
	page.on('request', (request) => {
		if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:') && !request.url().startsWith('blob:')) fault(where(), `asks ${request.url()}`);
	});
	page.open = async (path) => {
		await page.goto(`${url}/dashboard${path}`);
		await page.settled();
	};
	// The page is whole: it has its title, and nothing is asked for or being loaded. Also right after what changes it.
	page.settled = async () => {
		for (const end = Date.now() + patience; ; ) {
			// A page that is loaded anew begins again.
			const isWhole = await page.evaluate(settledWatch, end - Date.now()).catch((why) => {
				if (!/context was destroyed|navigation/.test(why.message)) throw why;
			});
			if (isWhole) return;
			if (Date.now() > end) throw new Error('the page is never whole');
		}
	};
	// Until something holds in the page. page.waitForFunction runs a text as a script when it has to wait, which the pages forbid.
	page.until = async (predicate, argument) => {
		const end = Date.now() + patience;
		while (!(await page.evaluate(predicate, argument))) {
			if (Date.now() > end) throw new Error(`never holds: ${predicate}`);
			await page.waitForTimeout(50);
		}
	};
	// Until the page is whole and what is looked at there is as it should be; tells what it is instead.
	page.is = async (look, want, otherwise) => {
		let got;
		for (const end = Date.now() + patience; Date.now() < end; ) {
			await page.settled();
			if ((got = await look()) === want) return;
		}
		throw new Error(`${otherwise}: got ${got}, want ${want}`);
	};
	// The same of how many a locator finds.
	page.has = (locator, count, otherwise = 'another number is there') => page.is(() => locator.count(), count, `${otherwise}, ${locator}`);
	// Goes to a page as a link does, and loads nothing anew.
	page.go = async (path) => {
		await page.evaluate((path) => history.pushState(null, '', /^\/dashboard\/w\/[^/]+/.exec(location.pathname)[0] + path), path);
		await page.settled();
	};
	// Holds the request of this number to an address: `there` waits until it was sent, and `go` lets it go on.
	page.hold = async (address, number) => {
		let asked = 0;
		let go;
		const free = new Promise((done) => (go = done));
		await page.route(address, async (route) => {
			if (++asked === number) await free;
			await route.continue();
		});
		const there = async () => {
			for (const end = Date.now() + patience; asked < number; await page.waitForTimeout(50)) if (Date.now() > end) throw new Error(`request ${number} to ${address} was never sent`);
		};
		return { there, go, asked: () => asked };
	};
	return page;
}

/** Looks for what axe-core finds; of colours alone where `rules` says so. */
async function accessible(page, how, rules) {
	const only = rules ? { runOnly: rules } : {};
	const { violations } = await page.evaluate((only) => (window.axeOfTests ??= window.axeMade()).run(document, { ...only, iframes: false, resultTypes: ['violations'] }), only);
	for (const { id, nodes } of violations)
		fault(new URL(page.url()).pathname, `axe (${how}): ${id}: ${nodes.map(({ target, any }) => `${target} ${any[0]?.message ?? ''}`).join('; ').slice(0, 400)}`);
}

/** Whether nothing that a stranger wrote has run. */
async function unhurt(page) {
	if (await page.evaluate(() => window.hurt)) fault(new URL(page.url()).pathname, 'what a stranger wrote has run');
	for (const frame of page.frames()) if (await frame.evaluate(() => window.hurt).catch(() => 0)) fault(frame.url(), 'what a stranger wrote has run in the frame');
}

/** The link of the newest mail to this address. */
async function linkByMail(address) {
	for (const end = Date.now() + patience; Date.now() < end; await new Promise((done) => setTimeout(done, 50)))
		for (const name of readdirSync(`${maildir}/new`)) {
			const text = readFileSync(`${maildir}/new/${name}`, 'utf8').replace(/=\r?\n/g, '');
			const link = text.includes(address) && /\/dashboard\/signin#[\w-]{43}/.exec(text);
			if (link) return link[0];
		}
	throw new Error(`no mail with a link to ${address} came`);
}

async function signInByMail() {
	const page = await visitor();
	page.expected.push('/v1/session'); // 401: not signed in yet
	await page.open('/domains');
	await accessible(page, 'signed out');
	const focused = page.getByLabel('Email address').evaluate((field) => field === document.activeElement);
	await focused;
	await page.getByLabel('Email address').fill(`you@${domain}`);
	await page.getByRole('button', { name: 'Send me a link' }).click();
	await page.getByText('a link is on its way').waitFor();
	if (!(await focused)) fault('sign-in', 'the field does not have the focus');
	const link = await linkByMail(`you@${domain}`);

	const other = await visitor();
	other.expected.push('/v1/session'); // 403: another browser's link
	await other.goto(url + link);
	await other.getByText('asked for in another browser').waitFor();
	await other.context().close();

	await page.goto(url + link);
	await page.getByRole('navigation', { name: 'Pages' }).waitFor();
	// The page that was asked for survives the mail, and a link that was used already leads in.
	await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
	const again = await page.context().newPage();
	await again.goto(url + link);
	await again.getByRole('navigation', { name: 'Pages' }).waitFor();
	await again.close();
	page.expected.length = 0;
	if (page.url().includes('#')) fault('sign-in', 'the token stays in the address');
	if (await page.evaluate(() => document.cookie)) fault('sign-in', 'a script can read the cookie');
	return page;
}

async function signInByTerminal(address, options) {
	const page = await visitor(options);
	const out = execFileSync(`${process.env.POSTHOUSE_BIN}/posthouse`, ['--config', process.env.POSTHOUSE_CONFIG, '--json', 'user', 'link', address]);
	await page.goto(JSON.parse(out).url);
	await page.locator('nav').waitFor({ state: 'attached' });
	await page.settled();
	return page;
}

/** The paths of the navigation, as this reader sees them. */
const places = (page) => page.locator('nav a').evaluateAll((links) => links.map((link) => link.getAttribute('href').replace(/^\/dashboard(\/w\/[^/]+)?/, '') || '/'));

/** Loads each page, whose parts would come one by one: every second answer of the service is late. */
async function lookAround() {
	const page = await signInByTerminal(`you@${domain}`, { late: 300 });
	const paths = [...(await places(page)), ...singles, '/design', '/nowhere'];
	for (const path of paths) {
		await page.emulateMedia({ colorScheme: 'light' });
		await page.open(path);
		const moved = await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(() => done(window.moved)))));
		if (moved > 0.05) fault(path, `moves by ${moved} while it comes`);
		await accessible(page, 'light');
		await page.emulateMedia({ colorScheme: 'dark' });
		await accessible(page, 'dark', ['color-contrast']);
		await unhurt(page);
		if (path !== '/design' && (await page.locator('.failed').count())) fault(path, await page.locator('.failed').first().innerText());
	}
	await page.context().close();
	return paths;
}

async function phone() {
	const page = await signInByTerminal(`you@${domain}`, { viewport: { width: 375, height: 700 }, locale: 'de-DE' });
	await page.getByRole('button', { name: 'Menü', exact: true }).click();
	const paths = [...(await places(page)), ...singles];
	for (const path of paths) {
		await page.go(path);
		if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) fault(path, 'wider than a phone');
	}
	await accessible(page, 'phone');
	await page.context().close();
}

/** A viewer finds no control that changes anything, and the service refuses what is sent all the same. */
async function viewer() {
	const address = `viewer@${domain}`;
	await call('POST', '/v1/users', { email: address, role: 'viewer' });
	const page = await signInByTerminal(address);
	const harmless = /^(Filter|Clear|Show more|Copy.*|Load pictures|Phone width|Full width|Search and go.*|Workspace: .*|You: .*|Try again|Close|Menu|End session|Preview|Simulate|Attempts: .*|Next|Previous|Export|Save as a file|Save the refused lines|Save .+|Forget .+|Choose all that fit|Snippet|Run|Add an event|Zoom in|Zoom out|Show all|Refresh)$/;
	for (const path of [...(await places(page)), ...singles]) {
		await page.go(path);
		const names = await page.locator('#main button:not([role=tab]):not(:disabled)').evaluateAll((all) => all.map((one) => (one.getAttribute('aria-label') ?? (one.innerText || one.textContent)).trim()));
		for (const name of names) if (!harmless.test(name)) fault(path, `a viewer has the button ${name}`);
	}
	page.expected.push('/v1/topics');
	const status = await page.evaluate(async () => {
		const { csrf } = await (await fetch('/v1/session')).json();
		return (await fetch('/v1/topics', { method: 'POST', headers: { 'X-CSRF-Token': csrf }, body: '{"name":"x"}' })).status;
	});
	if (status !== 403) fault('viewer', `POST /v1/topics answers ${status}`);
	await page.context().close();
}

/** Another page of the web cannot use the session: without the token, the service refuses. */
async function withoutToken(page) {
	page.expected.push('/v1/topics');
	const status = await page.evaluate(async () => (await fetch('/v1/topics', { method: 'POST', body: '{"name":"x"}' })).status);
	if (status !== 403) fault('csrf', `POST /v1/topics without a token answers ${status}`);
	page.expected.length = 0;
}

// The workspace has its key, and no broadcast has left yet.
async function firstSteps(page) {
	await page.open('/');
	const steps = page.getByRole('region', { name: 'First steps' });
	await steps.getByRole('listitem').filter({ hasText: 'Make an API key' }).getByText('done').waitFor();
	await steps.getByRole('link', { name: 'Send a first broadcast' }).waitFor();
}

/** Takes back what a page's test may have left in the page, so that none stands on another one's shoulders. */
async function afresh(page) {
	await page.unrouteAll({ behavior: 'ignoreErrors' });
	await page.context().setOffline(false);
	await page.setViewportSize(wide);
	await page.emulateMedia({ colorScheme: 'light' });
	await page.goto('about:blank');
	page.expected.length = 0;
}

async function main() {
	let page = await signInByMail();
	await firstSteps(page);
	const only = process.env.PAGES?.split(' ');
	const paths = only ?? (await lookAround());
	for (const file of only?.map((name) => `${name}.mjs`) ?? readdirSync('pages').sort()) {
		const test = (await import(`./pages/${file}`)).default;
		await afresh(page);
		left = [];
		try {
			await test({ page, made, call, fault, visitor, signInByTerminal, domain, accessible });
			// Some tests have pages of their own alone.
			if (page.url() === 'about:blank') continue;
			await page.settled();
			await accessible(page, file);
			await unhurt(page);
		} catch (why) {
			fault(file, why.message);
			// The next one begins with a browser of its own, and without what this one would have deleted.
			for (const context of browser.contexts()) await context.close();
			page = await signInByTerminal(`you@${domain}`);
			for (const path of left) await request('DELETE', path).catch(() => {}); // what was sent stays
		}
	}
	if (only) return paths;
	if (dialogs.size < 10) fault('axe', `only ${dialogs.size} dialogs were looked at`);
	await withoutToken(page);
	await phone();
	await viewer();
	await page.open('/');
	await page.getByRole('button', { name: /^You:/ }).click();
	await page.getByRole('menuitem', { name: 'Sign out' }).click();
	await page.getByLabel('Email address').waitFor();
	return paths;
}

try {
	const paths = await main();
	if (!faults.length) console.log(`all pages work: ${paths.length}`);
} catch (why) {
	fault('browser', why.stack);
}
if (faults.length) console.log([...new Set(faults)].join('\n'));
await browser.close();
