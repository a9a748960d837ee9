// SPDX-License-Identifier: MIT
// Lists of people, contacts, suppressions, emails and requests, wide and on a phone: filters that stand in the address and
// are saved by name, changes of many with a count before and a way back, and a log of requests that is narrowed.
const sizes = [{ width: 1440, height: 900 }, { width: 390, height: 800 }];

/** The rows of a table that name somebody, as they are. */
const rows = (page, name) => page.getByRole('row', { name });

async function fits(page, where) {
	if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) throw new Error(`${where} is wider than the window`);
}

async function saved(page, accessible, how) {
	const dialog = page.getByRole('dialog');
	await page.open('/people');
	await page.getByLabel('State', { exact: true }).selectOption('unsubscribed');
	await page.getByRole('button', { name: 'Filter', exact: true }).click();
	await page.waitForURL('**/people?status=unsubscribed');
	await page.settled();
	await page.getByRole('button', { name: 'Save this view' }).click();
	await page.until(() => document.activeElement?.getAttribute('name') === 'name');
	await accessible(page, `filters are saved, ${how}`);
	await dialog.getByLabel('Name').fill('Who left');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.waitFor({ state: 'detached' });
	await page.open('/people');
	await page.getByRole('button', { name: 'Who left', exact: true }).click();
	await page.waitForURL('**/people?status=unsubscribed');
	await page.has(rows(page, 'bulk-one@example.net'), 0, 'a filter by state lets others in');
	await page.has(rows(page, 'bulk-left@example.net'), 1, 'a filter by state keeps out one of it');
	await page.getByRole('button', { name: 'Forget Who left' }).click();
	await page.getByRole('button', { name: 'Who left', exact: true }).waitFor({ state: 'detached' });
	await page.open('/people?sort=email');
	const addresses = await page.locator('tbody tr td:first-child a').allInnerTexts();
	if (JSON.stringify(addresses) !== JSON.stringify([...addresses].sort())) throw new Error(`not in the order of addresses: ${addresses}`);
	await fits(page, '/people');
}

/** Rows of other filters stay, dimmed and out of reach, until those of these are there; "/" leads to the search, and Shift chooses all rows between two. */
async function stays(page) {
	await page.open('/people?search=bulk-');
	const old = await rows(page, 'bulk-one@example.net').elementHandle();
	const next = await page.hold(/\/v1\/people\?search=many-none/, 1);
	await page.keyboard.press('/');
	await page.getByLabel('Search', { exact: true }).and(page.locator(':focus')).fill('many-none');
	await page.keyboard.press('Enter');
	await next.there();
	const list = page.locator('.list[aria-busy="true"]');
	await list.waitFor();
	if (!(await old.isVisible()) || !(await list.evaluate((one) => one.inert)) || (await page.locator('.loading').count())) throw new Error('rows do not stay, or can be chosen, while others come');
	next.go();
	await page.getByText('Nothing fits').waitFor();
	await page.has(page.locator('.list, .bulk'), 0, 'old rows stay');
	await page.unroute(/\/v1\/people\?search=many-none/);

	await page.open('/people?search=bulk-');
	const boxes = page.locator('td .pick');
	await boxes.nth(0).click();
	await boxes.nth(2).click({ modifiers: ['Shift'] });
	await page.getByText('Chosen: 3').waitFor();
	await boxes.nth(1).click({ modifiers: ['Shift'] });
	await page.getByText('Chosen: 1').waitFor();
}

/** A file of all that fit is cancelled, and goes on while another page is looked at. */
async function exports(page) {
	const link = (name) => page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name, exact: true });
	const address = /\/v1\/people(\?cursor=.*)?$/;
	let downloads = 0;
	page.on('download', () => downloads++);
	for (const isCancelled of [true, false]) {
		await page.open('/people');
		await page.settled();
		const second = await page.hold(address, 2);
		await page.getByRole('button', { name: 'Export' }).click();
		await second.there();
		await page.getByRole('button', { name: /^So far: / }).waitFor();
		await link('Topics').click();
		await page.getByRole('heading', { level: 1, name: 'Topics' }).waitFor();
		await link('People').click();
		await page.getByRole('button', { name: /^So far: / }).waitFor();
		const whole = isCancelled ? null : page.waitForEvent('download');
		if (isCancelled) {
			await page.getByRole('button', { name: 'Cancel' }).click();
			// At once, and the focus is not lost.
			await page.getByRole('button', { name: 'Export' }).and(page.locator(':focus')).waitFor();
		}
		const answer = page.waitForResponse(address);
		second.go();
		await answer;
		await page.getByRole('button', { name: 'Export' }).waitFor();
		await whole;
		await page.settled();
		if (downloads !== Number(!isCancelled)) throw new Error(`${downloads} files came`);
		await page.unroute(address);
	}
}

async function bulk(page, call, accessible, how) {
	const dialog = page.getByRole('dialog');
	const audience = await call('POST', '/v1/audiences', { name: `Bulk ${how}` });
	await page.open('/people?search=bulk-');
	await page.getByRole('checkbox', { name: 'Choose bulk-one@example.net' }).check();
	await page.getByText('Chosen: 1').waitFor();
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByText('Chosen: 3').waitFor();
	await page.getByRole('button', { name: 'Add to an audience' }).click();
	await dialog.getByText('This is for 3 people.').waitFor();
	await dialog.getByLabel('Audience').selectOption(`Bulk ${how}`);
	await accessible(page, `many are added, ${how}`);
	await dialog.getByRole('button', { name: 'Add to an audience' }).click();
	await page.getByText('2 people changed. 1 person not changed:').waitFor();
	await page.getByText('bulk-left@example.net: This person has unsubscribed').waitFor();
	const members = async () => (await call('GET', `/v1/audiences/${audience.id}/contacts`)).count;
	if ((await members()) !== 2) throw new Error(`${await members()} are in the audience`);
	await accessible(page, `what became of many, ${how}`);
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.getByText('It is as it was').first().waitFor();
	if (await members()) throw new Error('nothing was undone');
	await page.getByRole('checkbox', { name: 'Choose bulk-one@example.net' }).check();
	const download = page.waitForEvent('download');
	await page.getByRole('group', { name: 'What is chosen' }).getByRole('button', { name: 'Export' }).click();
	if ((await download).suggestedFilename() !== 'people.csv') throw new Error('the file has another name');

	await call('POST', `/v1/audiences/${audience.id}/contacts`, { email: 'bulk-one@example.net' });
	await page.open(`/audiences/${audience.id}`);
	await page.getByRole('checkbox', { name: 'Choose bulk-one@example.net' }).check();
	await page.getByRole('button', { name: 'Take out of an audience' }).click();
	await dialog.getByRole('button', { name: 'Take out of an audience' }).click();
	await page.getByText('1 person changed.').waitFor();
	await page.getByText('Nobody is in it yet').waitFor();
	await fits(page, 'an audience');
	await call('DELETE', `/v1/audiences/${audience.id}`);

	await page.open('/people?search=bulk-one');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await dialog.getByRole('button', { name: 'Stop mail' }).click();
	await page.getByText('1 person changed.').waitFor();
	await page.open('/suppressions?reason=manual&scope=all&search=bulk-one');
	await page.getByRole('checkbox', { name: 'Choose bulk-one@example.net' }).check();
	await page.getByRole('button', { name: 'Send again' }).click();
	await dialog.getByRole('button', { name: 'Send again' }).click();
	await page.getByText('Nothing fits').waitFor();
	await fits(page, '/suppressions');
}

/** A form that offers audiences opens once they are known, and does not say that there are none. */
async function offered(page) {
	const asks = /\/v1\/audiences(\?|$)/;
	await page.open('/people?search=bulk-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	const audiences = await page.hold(asks, 1);
	await page.getByRole('button', { name: 'Add to an audience' }).click();
	await audiences.there();
	if (await page.getByRole('dialog').count()) throw new Error('a form opens before it knows what it offers');
	audiences.go();
	await page.getByRole('dialog').getByLabel('Audience').waitFor();
	await page.unroute(asks);
}

/** All that fit are changed page by page by the service; what stops goes on where it stood, also after the page was left, and goes back. */
async function broken(page, call) {
	const dialog = page.getByRole('dialog');
	const many = Array.from({ length: 101 }, (_, index) => ({ email: `many-${index}@example.net` }));
	const suppressed = async () => (await call('GET', '/v1/people/count?list=/v1/suppressions%3Freason%3Dmanual%26search%3Dmany-')).count;
	let asked = 0;
	let read = 0;
	page.expected.push('/v1/people/bulk');
	await call('POST', '/v1/people/import', { rows: many });
	await page.open('/people?search=many-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.route('**/v1/people?*', (route) => (read++, route.continue()));
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 101').waitFor();
	await page.route('**/v1/people/bulk', (route) => (++asked === 3 ? route.fulfill({ status: 400, contentType: 'application/json', body: '{"message":"Out of order"}' }) : route.continue()));
	const stop = async () => {
		await page.getByRole('button', { name: 'Stop mail' }).click();
		await dialog.getByText('This is for all that fit: 101 rows.').waitFor();
		await dialog.getByRole('button', { name: 'Stop mail' }).click();
		await dialog.getByText('Out of order').waitFor();
		await page.keyboard.press('Escape');
	};
	await stop();
	await page.getByText('100 people changed.').waitFor();
	if ((await suppressed()) !== 100) throw new Error('not all before the failure are changed');
	await page.unroute('**/v1/people?*');
	if (read > 1) throw new Error(`choosing all that fit has read ${read} pages`);
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.getByText('It is as it was').first().waitFor();
	if (await suppressed()) throw new Error('the way back is lost');
	await page.has(page.getByRole('button', { name: 'Go on' }), 0, 'what was undone may go on');

	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 101').waitFor();
	asked = 0;
	await stop();
	await page.open('/domains');
	await page.open('/people?search=many-');
	await page.getByText('Stop mail: it stopped after 100 of 101.').waitFor();
	await page.getByRole('button', { name: 'Go on' }).click();
	await page.getByText('1 person changed.').waitFor();
	await page.getByRole('button', { name: 'Go on' }).waitFor({ state: 'detached' });
	if ((await suppressed()) !== 101) throw new Error('what stopped did not go on');
	const unsuppressed = await call('POST', '/v1/people/bulk', { action: 'unsuppress', people: many.slice(0, 100).map(({ email }) => email) });
	if (unsuppressed.changed !== 100) throw new Error('not all were changed');
	await call('DELETE', '/v1/suppressions/many-100@example.net');
	await page.unroute('**/v1/people/bulk');
	page.expected.length = 0;
}

/** Leaving the page stops a change of all that fit. It goes on with the same filters, once at a time, and for its reader alone. */
async function left(page, call) {
	const dialog = page.getByRole('dialog');
	const stopped = page.getByRole('group', { name: 'What stopped' });
	const goOn = stopped.getByRole('button', { name: 'Go on' });
	await page.open('/people?search=many-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 101').waitFor();
	const change = await page.hold('**/v1/people/bulk', 2);
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await dialog.getByRole('button', { name: 'Stop mail' }).click();
	await change.there();
	await page.keyboard.press('Escape');
	await page.getByRole('link', { name: 'Domains' }).click();
	await page.getByRole('heading', { level: 1, name: 'Domains' }).waitFor();
	await page.goBack();
	await stopped.getByText('Stop mail: it stopped after 50 of 101.').waitFor();
	await goOn.click();
	await page.getByText('This list is being changed already.').first().waitFor();
	change.go();
	await page.until(() => Object.entries(localStorage).some(([place, rest]) => place.startsWith('bulk ') && JSON.parse(rest).done === 100));
	await page.open('/people?search=many-1');
	await page.has(stopped, 0, 'with other filters it may go on');
	await page.open('/people?search=many-');
	await stopped.getByText('Stop mail: it stopped after 100 of 101.').waitFor();
	if (change.asked() !== 2) throw new Error('a change goes on when its page was left');

	// An owner erases what is left, by its number.
	const become = async (action) => {
		await page.evaluate((action) => {
			const [place, rest] = Object.entries(localStorage).find(([place]) => place.startsWith('bulk '));
			localStorage.setItem(place, JSON.stringify({ ...JSON.parse(rest), change: { action } }));
		}, action);
		await page.open('/people?search=many-');
		await stopped.waitFor();
	};
	await become('erase');
	await goOn.click();
	await dialog.getByLabel('Type the number 1').fill('101');
	await dialog.getByRole('button', { name: 'Erase' }).click();
	await dialog.getByText('This is another number.').waitFor();
	await page.route('**/v1/session', async (route) => {
		const response = await route.fetch();
		await route.fulfill({ response, json: { ...(await response.json()), role: 'member' } });
	});
	await become('erase');
	await page.has(goOn, 0, 'a member may go on to erase');
	await page.unroute('**/v1/session');
	await become('suppress');
	await goOn.click();
	await page.getByText('1 person changed.').waitFor();
	await page.unroute('**/v1/people/bulk');
	await call('POST', '/v1/people/bulk', { action: 'unsuppress', people: Array.from({ length: 100 }, (_, index) => `many-${index}@example.net`) });
	await call('DELETE', '/v1/suppressions/many-100@example.net');
}

/** Erasing many asks for their number. */
async function erased(page, call, accessible) {
	const dialog = page.getByRole('dialog');
	await call('POST', '/v1/people', { email: 'gone-one@example.net' });
	await call('POST', '/v1/people', { email: 'gone-two@example.net' });
	await page.open('/people?search=gone-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Erase' }).click();
	await dialog.getByLabel('Type the number 2').fill('1');
	await dialog.getByRole('button', { name: 'Erase' }).click();
	await dialog.getByText('This is another number.').waitFor();
	await accessible(page, 'many are erased');
	await dialog.getByLabel('Type the number 2').fill('2');
	await dialog.getByRole('button', { name: 'Erase' }).click();
	await page.getByText('Nothing fits').waitFor();
}

/** A change of all emails that fit says for whom of their recipients it is. */
async function manyMailed(page, call, domain) {
	const dialog = page.getByRole('dialog');
	const mails = Array.from({ length: 51 }, (_, index) => ({ from: `a@${domain}`, to: [`lot-${index}@example.net`, 'lot-all@example.net'], subject: 'Many', text: 'x', scheduled_at: Date.now() + 86_400_000 }));
	for (const mail of mails) await call('POST', '/v1/emails', mail);
	await page.open('/emails?search=lot-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Choose all that fit' }).click();
	await page.getByText('Chosen: 51').waitFor();
	await page.getByRole('button', { name: 'Stop mail' }).click();
	await dialog.getByText('This is for the recipients of all emails that fit: 51 emails.').waitFor();
	await dialog.getByRole('button', { name: 'Stop mail' }).click();
	await page.getByText('52 people changed.').waitFor();
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.getByText('It is as it was').first().waitFor();
}

/** The people of emails that are picked: into a topic, and erased. */
async function mailed(page, call, accessible, domain) {
	const dialog = page.getByRole('dialog');
	const topic = await call('POST', '/v1/topics', { name: 'Mailed people' });
	for (const name of ['one', 'two']) {
		await call('POST', '/v1/people', { email: `mailed-${name}@example.net` });
		await call('POST', '/v1/emails', { from: `a@${domain}`, to: `mailed-${name}@example.net`, subject: 'To erase', text: 'x', scheduled_at: Date.now() + 86_400_000 });
	}
	await manyMailed(page, call, domain);
	await page.open('/emails?search=mailed-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Unsubscribe from a topic' }).click();
	await dialog.getByLabel('Topic').selectOption('Mailed people');
	await dialog.getByRole('button', { name: 'Unsubscribe from a topic' }).click();
	await page.getByText('2 people changed.').waitFor();
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.getByText('It is as it was').first().waitFor();
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Erase' }).click();
	await dialog.getByText('This is for 2 people.').waitFor();
	await accessible(page, 'people of emails are erased');
	await dialog.getByLabel('Type the number 2').fill('2');
	await dialog.getByRole('button', { name: 'Erase' }).click();
	await page.getByText('No email fits these filters.').waitFor();
	if ((await call('GET', '/v1/people?search=mailed-')).count) throw new Error('people of emails are still there');
	await call('DELETE', `/v1/topics/${topic.id}`);
}

/** Suppressions by address, and members of an audience among them. */
async function barred(page, call) {
	const dialog = page.getByRole('dialog');
	for (const name of ['b', 'a']) await call('POST', '/v1/suppressions', { email: `barred-${name}@example.net` });
	await page.open('/suppressions?sort=email');
	const addresses = await page.locator('tbody tr td:first-child a').allInnerTexts();
	if (addresses.length < 2 || JSON.stringify(addresses) !== JSON.stringify([...addresses].sort())) throw new Error(`not in the order of addresses: ${addresses}`);
	const audience = await call('POST', '/v1/audiences', { name: 'Barred' });
	await call('POST', `/v1/audiences/${audience.id}/contacts`, { email: 'barred-a@example.net' });
	await page.open('/suppressions?search=barred-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByRole('button', { name: 'Take out of an audience' }).click();
	await dialog.getByLabel('Audience').selectOption('Barred');
	await dialog.getByRole('button', { name: 'Take out of an audience' }).click();
	await page.getByText('1 person changed.').waitFor();
	if ((await call('GET', `/v1/audiences/${audience.id}/contacts`)).count) throw new Error('somebody on the list stays in the audience');
	await call('DELETE', `/v1/audiences/${audience.id}`);
	for (const name of ['b', 'a']) await call('DELETE', `/v1/suppressions/barred-${name}@example.net`);
}

/** On a phone a row is a card of its main columns, each value beside its name; what can be done with many takes few lines. */
async function cards(page) {
	await page.open('/people?search=bulk-');
	await page.getByRole('checkbox', { name: 'All shown' }).check();
	await page.getByText('Chosen: 3').waitFor();
	const { height } = await page.getByRole('group', { name: 'What is chosen' }).boundingBox();
	if (height > 140) throw new Error(`what is chosen is ${height} high on a phone`);
	await page.getByRole('button', { name: 'Erase' }).scrollIntoViewIfNeeded();
	await fits(page, 'what is chosen');
	await page.open('/audit');
	const row = page.getByRole('row', { name: 'you@' }).first();
	if (await row.locator('td.minor').first().isVisible()) throw new Error('a card has all columns');
	const places = await row.locator('td[data-name]:not(.minor)').evaluateAll((cells) => cells.map((cell) => [...cell.querySelectorAll('*')].map((part) => part.getBoundingClientRect().left - cell.getBoundingClientRect().left)));
	if (places.flat().some((left) => left < 60)) throw new Error(`a part of a value stands below its name: ${JSON.stringify(places)}`);
}

async function requests(page, call, how) {
	await call('DELETE', '/v1/topics/none').catch(() => {});
	const row = rows(page, /DELETE \/v1\/topics\/\{id\}/).first();
	for (const end = Date.now() + 120_000; !(await row.count()) && Date.now() < end; ) await page.open('/requests?status=refused&code=404&method=DELETE&route=topics');
	await row.getByText('404').waitFor();
	await page.getByLabel('Method').selectOption('POST');
	await page.getByRole('button', { name: 'Filter', exact: true }).click();
	await page.waitForURL('**/requests?status=refused&code=404&method=POST&route=topics');
	await page.getByText('Nothing fits').waitFor();
	await page.open('/requests?since=2001-01-01T00:00&until=2001-01-02T00:00');
	await page.getByText('Nothing fits').waitFor();
	await fits(page, `/requests, ${how}`);
}

export default async function ({ page, call, accessible, domain }) {
	for (const name of ['one', 'two', 'left']) await call('POST', '/v1/people', { email: `bulk-${name}@example.net` });
	await call('PATCH', '/v1/people/bulk-left@example.net', { subscribed: false });
	for (const size of sizes) {
		const how = `${size.width} wide`;
		await page.setViewportSize(size);
		await saved(page, accessible, how);
		await bulk(page, call, accessible, how);
		await requests(page, call, how);
		for (const path of ['/people', '/suppressions', '/emails', '/received', '/requests']) {
			await page.open(path);
			await accessible(page, `${path}, ${how}`);
			await fits(page, path);
		}
	}
	await cards(page);
	await erased(page, call, accessible);
	await mailed(page, call, accessible, domain);
	await barred(page, call);
	await broken(page, call);
	await page.setViewportSize({ width: 1280, height: 800 });
	await stays(page);
	await offered(page);
	await exports(page);
	await left(page, call);
	for (const name of ['one', 'two', 'left']) await call('DELETE', `/v1/people/bulk-${name}@example.net`);
}
