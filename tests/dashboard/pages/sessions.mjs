// SPDX-License-Identifier: MIT
// Sessions: another browser's session is ended, and that browser is asked to sign in. A page that is being written stays
// when its session ends, and goes on after its reader has signed in again.
import { execFileSync } from 'node:child_process';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config } = process.env;

/** Text that is not saved outlives the session. */
async function inPlace({ call, made, signInByTerminal, domain, accessible }) {
	const page = await signInByTerminal(`you@${domain}`);
	await page.open(`/templates/${made.template}`);
	const subject = page.getByRole('textbox', { name: 'Subject' });
	await subject.fill('Written for long');
	page.expected.push('/v1/', 'refused'); // 401
	await page.evaluate(async () => {
		const { csrf } = await (await fetch('/v1/session')).json();
		await fetch('/v1/session', { method: 'DELETE', headers: { 'X-CSRF-Token': csrf } });
	});
	await page.getByRole('button', { name: 'Save' }).click();
	const dialog = page.getByRole('dialog', { name: 'Your session has ended' });
	await dialog.getByRole('button', { name: 'Send me a link' }).waitFor();
	await accessible(page, 'the session has ended');
	const { url } = JSON.parse(execFileSync(`${bin}/posthouse`, ['--config', config, '--json', 'user', 'link', `you@${domain}`]));
	const tab = await page.context().newPage();
	await tab.goto(url);
	await tab.getByRole('navigation', { name: 'Pages' }).waitFor();
	await dialog.waitFor({ state: 'detached' });
	await page.is(() => subject.inputValue(), 'Written for long', 'what was written is lost with the session');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
	if ((await call('GET', `/v1/templates/${made.template}`)).subject !== 'Written for long') throw new Error('what was written is not stored');
	await page.context().close();
}

export default async function (given) {
	const { page, signInByTerminal, domain } = given;
	await inPlace(given);
	const other = await signInByTerminal(`you@${domain}`);
	await page.open('/sessions');
	await page.getByText('This one').waitFor();
	await page.getByRole('row').nth(1).getByRole('button', { name: 'End session' }).or(page.getByRole('row').nth(2).getByRole('button', { name: 'End session' })).first().click();
	await page.getByText('The session was ended').waitFor();
	other.expected.push('/v1/'); // 401
	await other.open('/emails');
	await other.getByLabel('Email address').waitFor();
	await other.context().close();
}
