// SPDX-License-Identifier: MIT
// Sessions: another browser's session is ended, and that browser is asked to sign in.
export default async function ({ page, signInByTerminal, domain }) {
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
