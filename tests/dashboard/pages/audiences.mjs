// SPDX-License-Identifier: MIT
// Audiences: one is made, a person comes in and is taken out, and it is deleted; contacts are shown with their states.

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
		if ((await page.getByRole('row').count()) !== names.length + 1) throw new Error(`${query}: ${await page.getByRole('row').count()} rows`);
	}
	await call('DELETE', `/v1/forms/${form.id}`);
	await call('DELETE', `/v1/audiences/${id}`);
}

export default async function ({ page, call }) {
	await page.open('/audiences');
	await page.getByRole('button', { name: 'Make an audience' }).click();
	await page.getByRole('textbox', { name: 'Audience' }).fill('Readers');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await page.getByRole('link', { name: 'Readers' }).click();
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
