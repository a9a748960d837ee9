// SPDX-License-Identifier: MIT
// Webhooks: one is added with its secret, a test is sent, its delivery and payload are shown; it is switched off and deleted.
export default async function ({ page, call, accessible }) {
	await page.open('/webhooks');
	await page.getByRole('button', { name: 'Add a webhook' }).click();
	await page.getByLabel('URL').fill('https://example.org/told');
	await page.getByRole('dialog').getByRole('button', { name: 'Add', exact: true }).click();
	await page.getByRole('dialog').getByText(/whsec_/).waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('row', { name: 'https://example.org/told' }).getByText('All events').waitFor();
	await page.getByRole('link', { name: 'https://example.org/told' }).click();
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByRole('row', { name: 'webhook.test' }).getByRole('button', { name: /^Attempts/ }).click();
	await page.getByText('"type": "webhook.test"').waitFor();
	await page.keyboard.press('Escape');
	await page.getByRole('dialog').waitFor({ state: 'detached' });

	// A receiver that answers 410 is gone: the page says so, and that the webhook is off.
	const { id } = (await call('GET', '/v1/webhooks')).webhooks.find(({ url }) => url === 'https://example.org/told');
	await page.route('**/v1/webhooks/*/test', async (route) => {
		const response = await route.fetch();
		await call('PATCH', `/v1/webhooks/${id}`, { enabled: false });
		const told = await response.json();
		await route.fulfill({ response, json: { ...told, attempts: told.attempts.map((attempt) => ({ ...attempt, response_status: 410, error: null })) } });
	});
	const on = page.getByRole('switch', { name: 'Switched on' });
	await on.and(page.locator('[aria-checked=true]')).waitFor();
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByText('The receiver says that it is gone: the webhook is off').waitFor();
	await on.and(page.locator('[aria-checked=false]')).waitFor();
	await page.unroute('**/v1/webhooks/*/test');
	await call('PATCH', `/v1/webhooks/${id}`, { enabled: true });
	await page.reload();
	await on.and(page.locator('[aria-checked=true]')).waitFor();

	// Its events are chosen from all that there are.
	await page.getByRole('button', { name: 'Edit' }).click();
	const dialog = page.getByRole('dialog');
	await dialog.getByLabel('Events').selectOption('Some events');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await dialog.getByRole('alert').getByText('Choose an event.').waitFor();
	await dialog.getByLabel('email.bounced').check();
	await dialog.getByLabel('domain.failed').check();
	await accessible(page, 'events of a webhook');
	await dialog.getByRole('button', { name: 'Save' }).click();
	await page.getByText('email.bounced, domain.failed').waitFor();
	const { webhooks } = await call('GET', '/v1/webhooks');
	const { events } = webhooks.find(({ url }) => url === 'https://example.org/told');
	if (events.join() !== 'email.bounced,domain.failed') throw new Error(`events: ${events}`);
	await page.getByRole('switch', { name: 'Switched on' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	await on.and(page.locator('[aria-checked=false]')).waitFor();
	await page.getByRole('button', { name: 'Delete webhook' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete webhook' }).click();
	await page.getByText('The webhook was deleted').waitFor();
	await page.waitForURL('**/webhooks');
	await page.settled();
}
