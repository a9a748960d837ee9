// SPDX-License-Identifier: MIT
// The first steps, which go once all are done, so this page comes first: demo data is put in by one button, and taken out by another.
// A workspace without mail shows how a program sends.
import { execFileSync } from 'node:child_process';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config, POSTHOUSE_URL: url } = process.env;
const posthouse = (...words) => execFileSync(`${bin}/posthouse`, ['--config', config, ...words]);

/** A workspace that has sent nothing shows how a program sends, in four languages. */
async function snippets(signInByTerminal, accessible) {
	posthouse('workspace', 'create', 'Without mail');
	posthouse('user', 'add', 'new@start.example', '--role', 'owner', '--workspace', 'Without mail');
	const page = await signInByTerminal('new@start.example');
	await page.open('/');
	const email = page.getByRole('region', { name: 'First steps' }).getByRole('listitem').filter({ hasText: 'Send a first email' });
	await email.getByText('By a program').click();
	for (const [name, begins] of [['curl', 'curl '], ['Node.js', 'await fetch('], ['PHP', '$ch = curl_init('], ['Python', 'import json, urllib.request']]) {
		await email.getByRole('tab', { name, exact: true }).click();
		await email.getByRole('button', { name: `Copy: ${name}` }).waitFor();
		const text = await email.getByRole('tabpanel').locator('pre').innerText();
		if (!text.startsWith(begins) || !text.includes(`${url}/v1/emails`) || !text.includes('Bearer KEY')) throw new Error(`the snippet of ${name}: ${text}`);
		const { from, to, subject } = JSON.parse(/\{"from".*?\}/.exec(text)[0]);
		if (!from || !to || !subject) throw new Error(`the snippet of ${name} sends no email: ${text}`);
	}
	await accessible(page, 'snippets');
	// Who has no program sends a test of a template.
	await email.getByRole('link', { name: 'Send a first email' }).click();
	await page.getByRole('main').getByRole('link', { name: 'Templates' }).click();
	await page.getByRole('heading', { level: 1, name: 'Templates' }).waitFor();
	await page.context().close();
}

export default async function ({ page, call, signInByTerminal, accessible }) {
	await snippets(signInByTerminal, accessible);
	const called = async () => {
		const lists = await Promise.all(['broadcasts', 'workflows', 'segments', 'audiences', 'topics', 'templates'].map(async (noun) => (await call('GET', `/v1/${noun}`))[noun]));
		return lists.flat().filter(({ name }) => name === 'Demo').length;
	};
	const own = await Promise.all([call('POST', '/v1/topics', { name: 'Demo' }), call('POST', '/v1/audiences', { name: 'Demo' }), call('POST', '/v1/segments', { name: 'Demo', rules: { match: 'all', rules: [] } })]);
	await page.open('/');
	const steps = page.getByRole('region', { name: 'First steps' });
	await steps.getByRole('button', { name: 'Fill with demo data' }).click();
	await steps.getByText('This workspace has demo data').waitFor();
	if ((await called()) !== 6 + own.length) throw new Error(`${await called()} things are called Demo`);
	await call('GET', '/v1/people/delivered+demo-ada@test.posthouse.invalid');
	await steps.getByRole('button', { name: 'Remove the demo data' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Remove the demo data' }).click();
	await steps.getByRole('button', { name: 'Fill with demo data' }).waitFor();
	if ((await called()) !== own.length) throw new Error('demo data stays, or takes what is the user\'s own along');
	const [topic, audience, segment] = own;
	await call('DELETE', `/v1/topics/${topic.id}`);
	await call('DELETE', `/v1/audiences/${audience.id}`);
	await call('DELETE', `/v1/segments/${segment.id}`);
}
