// SPDX-License-Identifier: MIT
// Suppressions: an address is added and removed; one of an erased person is looked up.

/** The list does not have the address; the service knows it by its hash. */
async function erased(page, call, accessible) {
	await call('POST', '/v1/people', { email: 'gone@erased.example' });
	await call('DELETE', '/v1/people/gone@erased.example?erase=true');
	await page.open('/suppressions?search=Gone@erased.example');
	await page.getByText('Nothing fits').waitFor();
	await page.getByText('only a hash of the address is kept').waitFor();
	await page.getByText('Stops: All mail').waitFor();
	await accessible(page, 'one address');
	await page.getByRole('button', { name: 'Remove' }).click();
	page.expected.push('/v1/suppressions/'); // 404: there is none
	await page.getByRole('dialog').getByLabel('Why this is right').fill('It was asked for');
	await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
	await page.getByText('This address is not suppressed.').waitFor();

	// One that begins with the same letters is another one; a part of an address is not asked for.
	await call('POST', '/v1/suppressions', { email: 'gone@erased.example.org' });
	await page.open('/suppressions?search=gone@erased.example');
	await page.getByRole('row', { name: 'gone@erased.example.org' }).waitFor();
	await page.getByText('This address is not suppressed.').waitFor();
	for (const search of ['gone@erased.example.org', 'gone@erased', 'nobody@']) {
		await page.open(`/suppressions?search=${search}`);
		await page.has(page.getByText('This address is not suppressed.'), 0, `${search} is asked for`);
	}
	await call('DELETE', '/v1/suppressions/gone@erased.example.org');
}

export default async function ({ page, call, accessible }) {
	await page.open('/suppressions');
	await page.getByRole('button', { name: 'Add an address' }).click();
	await page.getByLabel('Email address').fill('no@example.net');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	const row = page.getByRole('row', { name: 'no@example.net' });
	await row.getByText('Added by hand').waitFor();
	await row.getByRole('button', { name: 'Remove' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
	await row.waitFor({ state: 'detached' });
	await erased(page, call, accessible);
}
