// SPDX-License-Identifier: MIT
// People: one is added, chooses a topic, and is deleted; an owner erases one, once the address is typed.
export default async function ({ page, call, domain, signInByTerminal, accessible }) {
	await page.open('/people');
	await page.getByRole('button', { name: 'Add a person' }).click();
	await page.getByLabel('Email address').fill('alan@example.net');
	await page.getByLabel('First name').fill('Alan');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('link', { name: 'alan@example.net' }).click();
	await page.getByRole('switch').click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.getByRole('cell', { name: 'Left a topic' }).waitFor();
	await page.getByRole('button', { name: 'Delete person' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).click();
	await page.waitForURL('**/people');
	await page.settled();

	await call('POST', '/v1/people', { email: 'forget@example.net' });
	await call('POST', '/v1/users', { email: `member@${domain}`, role: 'member' });
	const member = await signInByTerminal(`member@${domain}`);
	await member.open('/people/forget%40example.net');
	await member.getByRole('button', { name: 'Delete person' }).waitFor();
	if (await member.getByRole('button', { name: 'Erase person' }).count()) throw new Error('a member may erase');
	await member.context().close();
	await page.open('/people/forget%40example.net');
	await page.getByRole('button', { name: 'Erase person' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Type the address').fill('other@example.net');
	await dialog.getByRole('button', { name: 'Erase person' }).click();
	await dialog.getByRole('alert').getByText('This is another address.').waitFor();
	await accessible(page, 'erasing');
	await call('GET', '/v1/people/forget@example.net');
	await dialog.getByLabel('Type the address').fill('Forget@example.net');
	await dialog.getByRole('button', { name: 'Erase person' }).click();
	await page.getByText('The person was erased').waitFor();
	await page.waitForURL('**/people');
	await page.settled();
	const { suppressions } = await call('GET', '/v1/suppressions');
	if (!suppressions.some(({ email }) => email === null)) throw new Error('no hash of the address stays');
}
