// SPDX-License-Identifier: MIT
// Rules of sending: hours and a cap of the workspace and of a topic, a secret, and a pause of a person.
export default async function ({ page, call }) {
	const dialog = page.getByRole('dialog');
	await page.open('/settings');
	await page.getByRole('switch', { name: 'Only at certain hours' }).click();
	const hours = page.getByRole('group', { name: 'Window 1' });
	await hours.getByLabel('From').fill('09:00');
	await hours.getByLabel('To').fill('17:30');
	await hours.getByLabel('Sun').uncheck();
	await page.getByLabel('Time zone').fill('Europe/Vienna');
	await page.getByRole('switch', { name: 'At most so many' }).click();
	await page.getByLabel('Mailings', { exact: true }).fill('2');
	const card = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Sending' }) });
	await card.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	const rules = await call('GET', '/v1/sending');
	await call('PUT', '/v1/sending', { hours: null, cap: null });
	const [window] = rules.hours.windows;
	if (rules.hours.zone !== 'Europe/Vienna' || window.from !== '09:00' || window.to !== '17:30' || window.days.length !== 6 || rules.cap.mailings !== 2 || rules.cap.wait !== null) throw new Error(JSON.stringify(rules));

	await page.getByRole('button', { name: 'Set a secret' }).click();
	await dialog.getByLabel('Name').fill('crm_token');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('dialog', { name: 'The secret' }).getByText('whsec_').waitFor();
	await dialog.locator('.dialog-foot').getByRole('button', { name: 'Close' }).click();
	const row = page.getByRole('row', { name: 'crm_token' });
	await row.getByRole('button', { name: 'Delete' }).click();
	await dialog.getByRole('button', { name: 'Delete' }).click();
	await row.waitFor({ state: 'detached' });

	const topic = await call('POST', '/v1/topics', { name: 'Seldom' });
	await page.open('/topics');
	await page.getByRole('row', { name: 'Seldom' }).getByRole('button', { name: 'Sending' }).click();
	await dialog.getByRole('switch', { name: 'At most so many' }).click();
	await dialog.getByRole('switch', { name: 'Wait for a place' }).click();
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	const { cap } = await call('GET', `/v1/topics/${topic.id}/sending`);
	if (cap?.wait?.unit !== 'days') throw new Error(JSON.stringify(cap));
	await call('DELETE', `/v1/topics/${topic.id}`);

	await call('POST', '/v1/people', { email: 'rest@example.net' });
	await page.open('/people/rest%40example.net');
	const pause = page.locator('section.card').filter({ has: page.getByRole('heading', { name: 'Pause of mailings' }) });
	await pause.getByRole('button', { name: 'Change' }).click();
	await dialog.getByLabel('For').selectOption('4 weeks');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await pause.getByText('by you').waitFor();
	await pause.getByRole('button', { name: 'Change' }).click();
	await dialog.getByLabel('For').selectOption('End the pause now');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await pause.getByText('None').waitFor();
}
