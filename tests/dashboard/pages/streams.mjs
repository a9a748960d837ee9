// SPDX-License-Identifier: MIT
// Streams: one gets a pace, is paused with a reason, and goes on.
export default async function ({ page, call }) {
	const dialog = page.getByRole('dialog');
	await page.open('/streams');
	const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Broadcast' }) });
	await card.getByRole('button', { name: 'Set the pace' }).click();
	await dialog.getByLabel('Recipients an hour').fill('500');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await card.getByText('at most 500 recipients an hour').waitFor();
	await card.getByRole('button', { name: 'Pause' }).click();
	await dialog.getByLabel('Reason').fill('A typo in it');
	await dialog.getByRole('button', { name: 'Pause' }).click();
	await card.getByText('A typo in it').waitFor();
	await card.getByRole('button', { name: 'Resume' }).click();
	await card.getByRole('button', { name: 'Pause' }).waitFor();
	const { streams } = await call('GET', '/v1/streams');
	const { paused, per_hour } = streams.find(({ name }) => name === 'broadcast');
	if (paused || per_hour !== 500) throw new Error('the stream is another one');
	await call('PATCH', '/v1/streams/broadcast', { per_hour: 0 });
}
