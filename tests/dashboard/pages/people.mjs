// SPDX-License-Identifier: MIT
// People: one is added, changed, chooses a topic, leaves an audience and comes back, gets an event by hand, and is deleted; an owner erases one, once the address is typed.
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
	await changed(page, call, accessible, domain);
	await page.getByRole('button', { name: 'Delete person' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete person' }).click();
	await page.waitForURL('**/people');
	await page.settled();

	await call('POST', '/v1/people', { email: 'forget@example.net' });
	await call('POST', '/v1/users', { email: `member@${domain}`, role: 'member' });
	const member = await signInByTerminal(`member@${domain}`);
	await member.open('/people/forget%40example.net');
	await member.getByRole('button', { name: 'Delete person' }).waitFor();
	await member.has(member.getByRole('button', { name: 'Erase person' }), 0, 'a member may erase');
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

/** The person is edited, with properties by their types, is put into an audience, has an event, and is stopped. */
async function changed(page, call, accessible, domain) {
	const dialog = page.getByRole('dialog');
	const person = () => call('GET', '/v1/people/alan@example.net');
	const definitions = [['seats', 'number'], ['member', 'boolean'], ['born', 'date']];
	for (const [key, type] of definitions) await call('POST', '/v1/properties', { key, type });
	const audience = await call('POST', '/v1/audiences', { name: 'Readers of Alan' });
	await page.reload();
	await page.getByRole('button', { name: 'Edit' }).click();
	await dialog.getByLabel('Last name').fill('Turing');
	await dialog.getByLabel('Language').fill('en-GB');
	await dialog.getByLabel('Time zone').selectOption('Europe/London');
	await dialog.getByLabel('seats').fill('3');
	await dialog.getByLabel('member').selectOption('Yes');
	await dialog.getByLabel('born').fill('1912-06-23');
	await accessible(page, 'a person is edited');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('heading', { level: 1, name: 'Alan Turing' }).waitFor();
	const now = await person();
	const got = JSON.stringify([now.last_name, now.language, now.time_zone, now.properties]);
	if (got !== JSON.stringify(['Turing', 'en-GB', 'Europe/London', { born: '1912-06-23', member: true, seats: 3 }]) && got !== JSON.stringify(['Turing', 'en-GB', 'Europe/London', { seats: 3, member: true, born: '1912-06-23' }])) throw new Error(`stored: ${got}`);
	await page.getByRole('button', { name: 'Edit' }).click();
	await dialog.getByLabel('seats').fill('');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	if ('seats' in (await person()).properties) throw new Error('a property that was emptied stays');

	await page.getByRole('button', { name: 'Add to an audience' }).click();
	await dialog.getByLabel('Audience').selectOption('Readers of Alan');
	await dialog.getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('link', { name: 'Readers of Alan' }).first().waitFor();
	await page.getByRole('cell', { name: 'Joined an audience Readers of Alan' }).waitFor();
	// The membership is left, and taken up again.
	await page.getByRole('button', { name: 'Unsubscribe', exact: true }).click();
	await dialog.getByRole('button', { name: 'Unsubscribe' }).click();
	await page.getByRole('button', { name: 'Subscribe again' }).click();
	if ((await person()).audiences[0].status !== 'unsubscribed') throw new Error('the membership was not left');
	await dialog.getByLabel('Why mailings are right again').fill('Asked by phone');
	await dialog.getByRole('button', { name: 'Subscribe again' }).click();
	await page.getByRole('button', { name: 'Unsubscribe', exact: true }).waitFor();
	if ((await person()).audiences[0].status !== 'subscribed') throw new Error('the membership was not taken up again');
	await page.getByRole('button', { name: 'Send an event' }).click();
	await dialog.getByLabel('Event', { exact: true }).fill('proved.something');
	await dialog.getByLabel('Event properties (JSON)').fill('{"member": false}');
	await dialog.getByRole('button', { name: 'Send an event' }).click();
	await page.getByRole('cell', { name: 'proved.something' }).waitFor();
	if ((await person()).properties.member !== false) throw new Error('the event changed nothing');
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await dialog.getByLabel('Stops').selectOption('All mail');
	await dialog.getByRole('button', { name: 'Stop mail' }).click();
	await page.getByText('Added by hand').waitFor();
	await page.getByRole('cell', { name: `you@${domain}` }).first().waitFor();
	await page.getByLabel('Kind').selectOption('Events');
	await page.has(page.getByRole('cell', { name: /^Joined an audience/ }), 0, 'a kind lets others in');
	await page.getByRole('cell', { name: 'proved.something' }).waitFor();
	await page.getByRole('tab', { name: 'Events' }).click();
	await page.getByRole('row', { name: /^proved\.something member No / }).waitFor();
	await page.getByRole('tab', { name: 'Emails' }).click();
	await page.getByText('No emails').waitFor();
	await page.getByRole('tab', { name: 'Workflows' }).click();
	await page.getByText('No executions').waitFor();
	await page.setViewportSize({ width: 390, height: 800 });
	await accessible(page, 'a person');
	if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) throw new Error('a person is wider than a phone');
	await page.setViewportSize({ width: 1280, height: 800 });
	await page.getByRole('button', { name: 'Send again' }).click();
	await dialog.getByRole('button', { name: 'Send again' }).click();
	await page.getByRole('button', { name: 'Stop mail' }).waitFor();
	await call('DELETE', `/v1/audiences/${audience.id}`);
	for (const [key] of definitions) await call('DELETE', `/v1/properties/${key}`);
	await page.reload();
	await page.getByRole('heading', { level: 1, name: 'Alan Turing' }).waitFor();
}
