// SPDX-License-Identifier: MIT
// Domains: one is added, its records and relays are shown, its keys are replaced, tracking is switched, and it is deleted again.
export default async function ({ page, call, fault }) {
	await page.open('/domains');
	page.expected.push('/v1/domains'); // 400: no name of a domain
	await page.getByRole('button', { name: 'Add a domain' }).click();
	await page.getByRole('textbox', { name: 'Domain' }).fill('not a domain');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('dialog').getByRole('alert').waitFor();
	await page.getByRole('textbox', { name: 'Domain' }).fill('second.example');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('heading', { name: 'second.example' }).waitFor();
	page.expected.length = 0;
	await page.getByText('_dmarc.second.example', { exact: true }).waitFor();
	await page.getByText('As a zone file').click();
	const zone = page.locator('details pre');
	await zone.getByText('second.example.').waitFor();
	const { id } = (await call('GET', '/v1/domains')).domains.find(({ name }) => name === 'second.example');
	if ((await zone.textContent()) !== (await call('GET', `/v1/domains/${id}/zone`)).zone) fault('domains', 'the zone file is another one');
	await page.settled();
	const keys = page.getByRole('group', { name: 'Signing keys' });
	await page.has(keys.getByText('not checked'), 2, 'a record of a key is found or missing before anybody looked for it');
	const before = await keys.getByRole('row').count();
	await page.getByRole('button', { name: 'New keys' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'New keys' }).click();
	await page.getByText('New keys are made: publish their records').waitFor();
	const { count } = await call('GET', `/v1/domains/${id}/keys`);
	await page.until((rows) => document.querySelectorAll('[aria-label="Signing keys"] tbody tr').length === rows, count);
	if (count < before - 1) fault('domains', `${count} keys after ${before - 1}`);
	await page.getByText('The relays of the settings take its mail.').waitFor();
	await page.getByRole('group', { name: 'Relays' }).getByText('Takes mail').first().waitFor();
	await page.getByRole('switch', { name: 'Count opens' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await page.settled(); // its settings are read anew
	await page.getByRole('button', { name: 'Delete domain' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete domain' }).click();
	await page.waitForURL('**/domains');
	const { domains } = await call('GET', '/v1/domains');
	if (domains.some(({ name }) => name === 'second.example')) fault('domains', 'second.example is still there');
	await below(page, call, fault);
}

/** Names of records of a sub-domain, as both kinds of providers take them, and a name in its own script. */
async function below(page, call, fault) {
	const { id } = await call('POST', '/v1/domains', { name: 'shop.second.example' });
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.open(`/domains/${id}`);
	const row = page.getByRole('row').filter({ hasText: 'MX 10' });
	for (const [button, want] of [['Copy: Short name', 'send.shop'], ['Copy: Whole name', 'send.shop.second.example']]) {
		await row.getByText(want, { exact: true }).first().waitFor();
		await row.getByRole('button', { name: button }).click();
		await page.is(() => page.evaluate(() => navigator.clipboard.readText()), want, `${button} copies something else`);
	}
	await page.has(page.getByText('shop.shop'), 0, 'the label of the sub-domain stands twice');
	const size = page.viewportSize();
	await page.setViewportSize({ width: 390, height: 800 });
	if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth || document.querySelector('.table-box').scrollWidth > document.querySelector('.table-box').clientWidth)) fault('domains', 'the records are wider than a phone');
	await page.setViewportSize(size);
	await call('DELETE', `/v1/domains/${id}`);

	const own = await call('POST', '/v1/domains', { name: 'xn--mnchen-3ya.example' });
	await page.open('/domains');
	await page.getByRole('link', { name: 'münchen.example' }).click();
	await page.getByRole('heading', { name: 'münchen.example' }).waitFor();
	await call('DELETE', `/v1/domains/${own.id}`);
}
