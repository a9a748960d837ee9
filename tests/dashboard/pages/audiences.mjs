// SPDX-License-Identifier: MIT
// Audiences: one is made and renamed, a person comes in and is taken out, and it is deleted; contacts are shown with their states,
// asked again to confirm, unsubscribed, and subscribed again.

/** Without a filter of states too, who was asked to confirm is not taken for one who left. */
async function states(page, call) {
	const { id } = await call('POST', '/v1/audiences', { name: 'Of each state' });
	const form = await call('POST', '/v1/forms', { name: 'Asks', audience_id: id, double_opt_in: true });
	const joined = await fetch(`${process.env.POSTHOUSE_URL}/f/${form.id}`, { method: 'POST', body: new URLSearchParams({ email: 'asked@states.example' }), headers: { Accept: 'application/json' } });
	if (!joined.ok) throw new Error(`the form answers ${joined.status}: ${await joined.text()}`);
	await call('POST', `/v1/audiences/${id}/contacts`, { email: 'in@states.example' });
	await call('POST', `/v1/audiences/${id}/contacts`, { email: 'left@states.example', is_subscribed: false });
	const want = { asked: 'to be confirmed', in: 'subscribed', left: 'unsubscribed' };
	for (const [query, names] of [['', ['asked', 'in', 'left']], ['?search=asked', ['asked']], ['?status=pending', ['asked']], ['?status=unsubscribed', ['left']]]) {
		await page.open(`/audiences/${id}${query}`);
		for (const name of names) await page.getByRole('row', { name: `${name}@states.example` }).getByText(want[name], { exact: true }).waitFor();
		await page.has(page.getByRole('row'), names.length + 1, `with ${query}`);
	}
	await changed(page, call, id);
	await call('DELETE', `/v1/forms/${form.id}`);
	await call('DELETE', `/v1/audiences/${id}`);
}

/** Each contact has what fits its state. */
async function changed(page, call, id) {
	const dialog = page.getByRole('dialog');
	const row = (name) => page.getByRole('row', { name: `${name}@states.example` });
	const stateOf = async (name) => (await call('GET', `/v1/people/${name}@states.example`)).audiences[0].status;
	await page.open(`/audiences/${id}`);
	for (const [name, some] of [['asked', 'Ask again'], ['in', 'Unsubscribe'], ['left', 'Subscribe again']]) {
		const names = await row(name).getByRole('button').allInnerTexts();
		if (names.join() !== `${some},Take out`) throw new Error(`${name} has the buttons ${names}`);
	}
	await row('asked').getByRole('button', { name: 'Ask again' }).click();
	await page.getByText('The person was asked again').waitFor();
	page.expected.push('/confirm'); // 429: it was just sent
	await row('asked').getByRole('button', { name: 'Ask again' }).click();
	await page.getByText('less than an hour ago').waitFor();
	await row('in').getByRole('button', { name: 'Unsubscribe' }).click();
	await dialog.getByRole('button', { name: 'Unsubscribe' }).click();
	await row('in').getByText('unsubscribed', { exact: true }).waitFor();
	if ((await stateOf('in')) !== 'unsubscribed') throw new Error('the person who was unsubscribed is not');
	await row('left').getByRole('button', { name: 'Subscribe again' }).click();
	await dialog.getByRole('button', { name: 'Subscribe again' }).click();
	await row('left').getByText('subscribed', { exact: true }).waitFor();
	if ((await stateOf('left')) !== 'subscribed') throw new Error('the person who was subscribed again is not');
	await page.getByText('3 people, 2 of them not subscribed.').waitFor();
}

export default async function ({ page, call }) {
	await page.open('/audiences');
	await page.getByRole('button', { name: 'Make an audience' }).click();
	await page.getByRole('textbox', { name: 'Audience' }).fill('Readers');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('link', { name: 'Readers' }).click();
	await page.getByRole('button', { name: 'Rename' }).click();
	await page.getByRole('dialog').getByLabel('Audience').fill('Readers of ours');
	await page.getByRole('dialog').getByRole('button', { name: 'Save' }).click();
	await page.getByRole('heading', { level: 1, name: 'Readers of ours' }).waitFor();
	const { audiences } = await call('GET', '/v1/audiences');
	if (audiences[0].name !== 'Readers of ours') throw new Error(`renamed: ${audiences[0].name}`);
	await page.getByRole('button', { name: 'Add a person' }).click();
	await page.getByLabel('Email address').fill('reader@example.net');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByText('1 person, 0 of them not subscribed.').waitFor();
	await page.getByRole('button', { name: 'Take out' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Take out' }).click();
	await page.getByText('Nobody is in it yet').waitFor();
	await page.getByRole('button', { name: 'Confirmation' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('People confirm by an email').selectOption('Yes');
	await dialog.getByLabel('Subject').fill('Do you want this?');
	await dialog.getByLabel('They confirm').selectOption('by opening the link');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	const optIn = await call('GET', `/v1/audiences/${new URL(page.url()).pathname.split('/').pop()}/opt-in`);
	if (!optIn.required || optIn.subject !== 'Do you want this?' || optIn.confirm !== 'link') throw new Error(`opt-in: ${JSON.stringify(optIn)}`);
	await page.getByRole('button', { name: 'Delete audience' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete audience' }).click();
	await page.waitForURL('**/audiences');
	await page.settled();
	await states(page, call);
}
