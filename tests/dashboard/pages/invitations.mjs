// SPDX-License-Identifier: MIT
// Invitations: a user of another workspace is asked after signing in, has nothing of the workspace before, and accepts or declines.
import { execFileSync } from 'node:child_process';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config } = process.env;
const posthouse = (...words) => execFileSync(`${bin}/posthouse`, ['--config', config, ...words]);
const workspaces = async (page) => {
	await page.settled();
	await page.getByRole('button', { name: /Workspace:/ }).click();
	await page.getByRole('menuitem').first().waitFor();
	const names = await page.getByRole('menuitem').allInnerTexts();
	await page.keyboard.press('Escape');
	return names.map((name) => name.replace(/\s*✓/, '')).sort().join();
};

export default async function ({ page, call, signInByTerminal, accessible }) {
	const { id, name } = await call('GET', '/v1/workspace');
	posthouse('workspace', 'create', 'Elsewhere');
	for (const who of ['yes', 'no']) posthouse('user', 'add', `${who}@elsewhere.example`, '--role', 'owner', '--workspace', 'Elsewhere');

	// The owner invites both, and sees who has not answered.
	for (const who of ['yes', 'no']) {
		await page.open('/users');
		await page.getByRole('button', { name: 'Add a user' }).click();
		await page.getByLabel('Email address').fill(`${who}@elsewhere.example`);
		await page.getByLabel('Role').selectOption('viewer');
		await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
		await page.getByText('The user is invited, and has to accept').waitFor();
		await page.getByRole('row', { name: `${who}@elsewhere.example` }).getByText('Invited').waitFor();
	}

	for (const [who, button, notice, want] of [
		['yes', 'Accept', `You are a user of ${name} now`, `Elsewhere,${name}`],
		['no', 'Decline', 'The invitation is declined', 'Elsewhere'],
	]) {
		const guest = await signInByTerminal(`${who}@elsewhere.example`);
		const question = guest.getByRole('region', { name: `Invitation to ${name}` });
		await question.getByText('Role: Viewer').waitFor();
		await accessible(guest, 'invited');
		if ((await workspaces(guest)) !== 'Elsewhere') throw new Error(`${who}: has ${await workspaces(guest)} before the answer`);
		// It is asked on each page until there is an answer.
		await guest.open('/people');
		await question.getByRole('button', { name: button }).click();
		await guest.getByText(notice).waitFor();
		await question.waitFor({ state: 'detached' });
		await guest.is(() => workspaces(guest), want, `${who} has other workspaces`);
		if (who === 'yes') {
			await guest.getByRole('button', { name: /Workspace:/ }).click();
			await guest.getByRole('menuitem', { name }).click();
			await guest.waitForURL(`**/dashboard/w/${id}/**`);
			await guest.getByRole('button', { name: `Workspace: ${name}` }).first().waitFor();
			await guest.getByRole('button', { name: /^You:/ }).filter({ hasText: 'Viewer' }).waitFor();
		}
		await guest.open('/');
		await guest.has(question, 0, `${who} is asked again`);
		await guest.context().close();
	}
	const { users } = await call('GET', '/v1/users');
	const left = users.filter(({ email }) => email.endsWith('@elsewhere.example'));
	if (left.length !== 1 || left[0].email !== 'yes@elsewhere.example' || left[0].status !== 'active') throw new Error(`users of ${id}: ${JSON.stringify(left)}`);
	await call('DELETE', `/v1/users/${left[0].id}`);
	await page.open('/users');
}
