// SPDX-License-Identifier: MIT
// Audit: what was done, by name and not by id, also of what is gone; an address only as a hint.
export default async function ({ page, call, domain }) {
	const { id } = await call('POST', '/v1/audiences', { name: 'Soon gone' });
	await call('DELETE', `/v1/audiences/${id}`);
	const { id: draft } = await call('POST', '/v1/broadcasts', { name: 'Told news' });
	await call('PATCH', `/v1/broadcasts/${draft}`, { subject: 'S' });
	await call('POST', '/v1/suppressions', { email: 'audited@example.org' });
	await page.open('/audit');
	await page.getByRole('row', { name: /Deleted audience\.deleted Soon gone Audience/ }).waitFor();
	await page.getByRole('row', { name: /Changed broadcast\.changed Told news Broadcast/ }).getByRole('link', { name: 'Told news' }).waitFor();
	await page.getByRole('row', { name: /suppression\.created a\*\*\*@example\.org/ }).waitFor();
	const cells = await page.getByRole('cell').allInnerTexts();
	const id36 = cells.find((text) => /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}/.test(text));
	if (id36) throw new Error(`an id stands in the audit: ${id36}`);
	// Actions and those who act are chosen by their names, in the language of the page.
	await page.getByLabel('Action').selectOption('Suppression: Made');
	await page.getByRole('button', { name: 'Filter', exact: true }).click();
	await page.waitForURL('**/audit?action=suppression.created');
	await page.has(page.getByRole('row', { name: /Soon gone/ }), 0, 'a filter by action lets others in');
	await page.getByRole('row', { name: /a\*\*\*@example\.org/ }).waitFor();
	await page.getByLabel('Who').selectOption(`you@${domain}`);
	await page.getByRole('button', { name: 'Filter', exact: true }).click();
	await page.getByText('Nothing fits').waitFor();
	const bulk = await call('POST', '/v1/people/bulk', { action: 'unsuppress', people: ['audited@example.org'] });
	if (bulk.changed !== 1) throw new Error('nobody was changed');
	await page.open('/audit?action=person.changed');
	await page.getByRole('row', { name: /Send again: 1/ }).first().waitFor();
	await call('DELETE', `/v1/broadcasts/${draft}`);
}
