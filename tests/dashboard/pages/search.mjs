// SPDX-License-Identifier: MIT
// Search: the lists of people, contacts, suppressions and emails by what a text begins with, and the palette.
const search = async (page, text, label = 'Search') => {
	await page.getByRole('search').getByLabel(label).fill(text);
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.settled();
};

async function lists(page, audience) {
	for (const [path, texts] of [['/people', ['wilhelmina@se', 'MURR', 'wilhelmina murr']], [`/audiences/${audience}`, ['wilhelmina m']], ['/suppressions', ['gone@sea']]])
		for (const text of texts) {
			await page.open(path);
			await search(page, text);
			await page.getByRole('row').nth(1).filter({ hasText: /wilhelmina@|gone@/ }).waitFor();
			await page.has(page.getByRole('row'), 2, `${path}: ${text}`);
			await search(page, 'no such text');
			await page.getByText('Nothing fits').waitFor();
			await page.getByRole('button', { name: 'Clear' }).click();
			await page.getByRole('row').nth(1).waitFor();
		}
	await page.open(`/audiences/${audience}`);
	for (const [status, want] of [['subscribed', 'wilhelmina@search.example'], ['unsubscribed', 'jonathan@search.example']]) {
		await page.getByRole('search').getByLabel('State', { exact: true }).selectOption(status);
		await page.getByRole('button', { name: 'Filter' }).click();
		await page.settled();
		await page.getByRole('link', { name: want }).waitFor();
		await page.has(page.getByRole('row'), 2, status);
	}
	await page.open('/emails');
	await search(page, 'wilhelmina+news@test', 'Recipient begins with');
	await page.getByRole('link', { name: 'wilhelmina+news@test.posthouse.invalid' }).waitFor();
	await page.has(page.getByRole('row'), 2, 'other emails are found');
	// One character is too few: the browser says so, and nothing is asked.
	await page.getByRole('search').getByLabel('Recipient begins with').fill('');
	await page.getByRole('search').getByLabel('Recipient begins with').pressSequentially('w');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.settled();
	if (!page.url().includes('wilhelmina')) throw new Error('one character is searched for');
	page.expected.push('/v1/people');
	await page.open('/people?search=w');
	await page.getByText('search must have 2 to 100 characters').waitFor();
	page.expected.length = 0;
}

/** Ctrl K, then typing, finds things by their names; closing gives the focus back. */
async function things(page, call) {
	const { id } = await call('POST', '/v1/broadcasts', { name: 'Autumn leaves' });
	await page.open('/people');
	await page.getByRole('searchbox', { name: 'Search' }).focus();
	await page.keyboard.press('Control+k');
	await page.getByRole('dialog').waitFor();
	await page.keyboard.type('autumn');
	await page.getByRole('option', { name: 'Autumn leaves' }).waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('dialog').waitFor({ state: 'detached' });
	await page.getByRole('searchbox', { name: 'Search' }).and(page.locator(':focus')).waitFor();
	await page.keyboard.press('Control+k');
	await page.getByRole('option', { name: 'Autumn leaves' }).click();
	await page.waitForURL(`**/broadcasts/${id}`);
	await page.settled();
	await call('DELETE', `/v1/broadcasts/${id}`);
}

/** Ctrl K does things, too: a form opens with the focus in it, here and on another page, and the address forgets that it was asked for. */
async function makes(page, call) {
	const dialog = page.getByRole('dialog');
	const choose = async (text) => {
		await page.keyboard.press('Control+k');
		await dialog.getByRole('combobox').fill(text);
		await dialog.getByRole('option', { name: text, exact: true }).click();
	};
	for (const from of ['/', '/people?search=wilhelmina']) {
		await page.open(from);
		await choose('Add a person');
		await dialog.getByLabel('First name').waitFor();
		await page.until(() => document.activeElement?.getAttribute('name') === 'email');
		await page.is(() => page.url().includes('new'), false, 'the address still asks for a new person');
		await page.keyboard.press('Escape');
		await dialog.waitFor({ state: 'detached' });
	}
	await page.is(() => new URL(page.url()).pathname.split('/').pop() + new URL(page.url()).search, 'people', 'the palette went elsewhere');
	const before = (await call('GET', '/v1/broadcasts')).broadcasts.map(({ id }) => id);
	await choose('Write a broadcast');
	await page.waitForURL(/\/broadcasts\/[0-9a-f-]{36}$/);
	await page.settled();
	const made = (await call('GET', '/v1/broadcasts')).broadcasts.filter(({ id }) => !before.includes(id));
	if (made.length !== 1) throw new Error(`${made.length} drafts were made`);
	await page.goBack();
	await page.settled();
	await call('DELETE', `/v1/broadcasts/${made[0].id}`);
	// What was refused is not told again when the form opens anew.
	page.expected.push('/v1/people');
	await page.open('/people?new');
	await dialog.getByLabel('Email address').fill('wilhelmina@search.example');
	await dialog.getByRole('button', { name: 'Add' }).click();
	await dialog.getByText('Person already exists').waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('button', { name: 'Add a person' }).click();
	await dialog.getByLabel('First name').waitFor();
	await page.has(dialog.getByText('Person already exists'), 0, 'an old refusal stands in a new form');
	await page.keyboard.press('Escape');
	page.expected.length = 0;
}

async function palette(page, accessible) {
	await page.open('/');
	await page.keyboard.press('Control+k');
	const dialog = page.getByRole('dialog');
	await dialog.getByRole('combobox').fill('w');
	await dialog.getByRole('combobox').fill('Wilhelmina');
	await dialog.getByRole('option', { name: 'wilhelmina@search.example Wilhelmina Murray' }).waitFor();
	await accessible(page, 'palette');
	await dialog.getByRole('option', { name: 'wilhelmina+news@test.posthouse.invalid Found' }).click();
	await page.getByRole('heading', { level: 1, name: 'Found' }).waitFor();
	await page.keyboard.press('Control+k');
	await dialog.getByRole('combobox').fill('wilhelmina@search');
	await dialog.getByRole('option', { name: 'wilhelmina@search.example Wilhelmina Murray' }).click();
	await page.getByRole('heading', { level: 1, name: 'Wilhelmina Murray' }).waitFor();
	await page.keyboard.press('Control+k');
	await dialog.getByRole('combobox').fill('wilhelmina+n');
	await dialog.getByRole('option', { name: 'All emails to wilhelmina+n' }).click();
	await page.waitForURL('**/emails?search=wilhelmina%2Bn');
	await page.getByRole('link', { name: 'wilhelmina+news@test.posthouse.invalid' }).waitFor();
}

export default async function ({ page, call, domain, accessible }) {
	const { id } = await call('POST', '/v1/audiences', { name: 'Searched' });
	await call('POST', `/v1/audiences/${id}/contacts`, { email: 'wilhelmina@search.example', first_name: 'Wilhelmina', last_name: 'Murray' });
	await call('POST', `/v1/audiences/${id}/contacts`, { email: 'jonathan@search.example', first_name: 'Jonathan', is_subscribed: false });
	await call('POST', '/v1/suppressions', { email: 'gone@search.example' });
	await call('POST', '/v1/emails', { from: `a@${domain}`, to: 'wilhelmina+news@test.posthouse.invalid', subject: 'Found', text: 'x' });
	await lists(page, id);
	await things(page, call);
	await palette(page, accessible);
	await makes(page, call);
	await page.settled();
	await call('DELETE', `/v1/audiences/${id}`);
}
