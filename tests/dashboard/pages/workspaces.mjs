// SPDX-License-Identifier: MIT
// Workspaces: tabs of two of them work side by side, each with its own figures; that of somebody else is not shown.
import { execFileSync } from 'node:child_process';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config } = process.env;
const posthouse = (...words) => execFileSync(`${bin}/posthouse`, ['--config', config, ...words]);

const topicMake = async (page, name) => {
	await page.getByRole('button', { name: 'Make a topic' }).click();
	await page.getByRole('dialog').getByLabel('Topic').fill(name);
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('row', { name }).waitFor();
};

const people = Array.from({ length: 101 }, (_, index) => ({ email: `away-${index}@example.net` }));

async function unsuppressed(call) {
	for (const some of [people.slice(0, 100), people.slice(100)]) await call('POST', '/v1/people/bulk', { action: 'unsuppress', people: some.map(({ email }) => email) });
}

/** A change of all that fit, and a file, stay in the workspace in which they began. */
async function elsewhere(page, call, here) {
	const dialog = page.getByRole('dialog');
	const asked = [];
	page.on('request', (request) => request.url().endsWith('/v1/people/bulk') && asked.push(request.headers()['x-posthouse-workspace']));
	const go = async () => {
		await page.getByRole('button', { name: /Workspace:/ }).click();
		await page.getByRole('menuitem', { name: 'Second' }).click();
		await page.getByRole('button', { name: 'Workspace: Second' }).waitFor();
	};
	await call('POST', '/v1/people/import', { rows: people });
	await page.open(`/w/${here}/people?search=away-`);
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 101').waitFor();
	const change = await page.hold('**/v1/people/bulk', 2);
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await dialog.getByRole('button', { name: 'Stop mail' }).click();
	await change.there();
	await page.keyboard.press('Escape');
	await go();
	const answer = page.waitForResponse('**/v1/people/bulk');
	change.go();
	await answer;
	await page.getByRole('link', { name: 'Topics' }).click();
	await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
	if (asked.join() !== [here, here].join()) throw new Error(`a change goes on in the other workspace: ${asked}`);

	await page.open(`/w/${here}/people`);
	const file = await page.hold(/\/v1\/people(\?|$)/, 1);
	await page.getByRole('button', { name: 'Export' }).click();
	await file.there();
	await go();
	file.go();
	await page.getByText('It stopped, since you went to another workspace.').first().waitFor();
	await unsuppressed(call);
}

/** Begins a change of all that fit, whose first answer comes when the function that comes back is called. */
async function changeHeld(page, here) {
	let go;
	const free = new Promise((done) => (go = done));
	const asked = page.waitForRequest('**/v1/people/bulk');
	await page.route('**/v1/people/bulk', async (route) => {
		const response = await route.fetch();
		await free;
		await route.fulfill({ response });
	});
	await page.open(`/w/${here}/people?search=away-`);
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 101').waitFor();
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Stop mail' }).click();
	await asked;
	await page.keyboard.press('Escape');
	return async () => {
		const answer = page.waitForEvent('requestfinished', (request) => request.url().endsWith('/v1/people/bulk'));
		go();
		await answer;
		await page.evaluate(() => new Promise((done) => requestAnimationFrame(() => setTimeout(done))));
	};
}

export default async function ({ page, call, signInByTerminal, accessible }) {
	const here = await call('GET', '/v1/workspace');
	const address = 'both@two.example';
	posthouse('workspace', 'create', 'Second');
	posthouse('user', 'add', address, '--role', 'owner', '--workspace', 'Second');
	await call('POST', '/v1/users', { email: address, role: 'owner' });
	const first = await signInByTerminal(address);
	await first.getByRole('region', { name: /^Invitation/ }).getByRole('button', { name: 'Accept' }).click();
	await first.getByText('You are a user of').waitFor();
	const second = new URL(first.url()).pathname.split('/')[3];
	if (second === here.id) throw new Error('the address does not name the workspace of the session');

	// A second tab goes to the other workspace; the first one stays where it is.
	const tab = await first.context().newPage();
	tab.setDefaultTimeout(20_000);
	await tab.goto(first.url());
	await tab.getByRole('button', { name: /Workspace:/ }).click();
	await tab.getByRole('menuitem', { name: here.name }).click();
	await tab.waitForURL(`**/dashboard/w/${here.id}/**`);
	await tab.getByRole('link', { name: 'Topics' }).click();
	await tab.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
	await first.getByRole('link', { name: 'Topics' }).click();
	await topicMake(first, 'Of the second');
	await topicMake(tab, 'Of the first');
	await first.reload();
	await first.getByRole('row', { name: 'Of the second' }).waitFor();
	await first.has(first.getByRole('row', { name: 'Of the first' }), 0, 'a tab shows the other workspace');
	const { topics } = await call('GET', '/v1/topics');
	if (!topics.some(({ name }) => name === 'Of the first') || topics.some(({ name }) => name === 'Of the second')) throw new Error('a topic landed in the other workspace');
	await call('DELETE', `/v1/topics/${topics.find(({ name }) => name === 'Of the first').id}`);

	// Old figures are gone as soon as the other workspace is chosen.
	await tab.getByRole('row', { name: 'Of the first' }).waitFor();
	await tab.getByRole('button', { name: /Workspace:/ }).click();
	await tab.getByRole('menuitem', { name: 'Second' }).click();
	await tab.waitForURL(`**/dashboard/w/${second}/**`);
	await tab.goBack();
	await tab.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
	if (await tab.getByRole('row', { name: 'Of the second' }).count()) throw new Error('the page before shows the other workspace');

	await elsewhere(first, call, here.id);

	// Who is not in it sees which there are.
	first.expected.push('/v1/'); // 403
	await first.goto(first.url().replace(second, '01a00000-0000-7000-8000-000000000000'));
	await first.getByRole('heading', { name: 'Not your workspace' }).waitFor();
	await accessible(first, 'not in the workspace');
	await first.getByRole('link', { name: 'Second' }).click();
	await first.getByRole('button', { name: 'Workspace: Second' }).waitFor();
	// What is left of a change is forgotten at sign-out, also if an answer comes after it.
	const rests = () => first.evaluate(() => Object.keys(localStorage).filter((place) => place.startsWith('bulk ')).length);
	if ((await rests()) !== 1) throw new Error('what is left of a change is not remembered');
	const change = await changeHeld(first, here.id);
	await first.getByRole('button', { name: /^You:/ }).click();
	await first.getByRole('menuitem', { name: 'Sign out' }).click();
	await first.getByLabel('Email address').waitFor();
	await change();
	if (await rests()) throw new Error('what is left of a change outlives the session');
	await unsuppressed(call);
	await first.context().close();
	const { users } = await call('GET', '/v1/users');
	await call('DELETE', `/v1/users/${users.find(({ email }) => email === address).id}`);
	await page.open('/');
}
