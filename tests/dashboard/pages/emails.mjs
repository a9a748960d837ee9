// SPDX-License-Identifier: MIT
// Emails: filtered, opened, shown in a frame that runs nothing, with source and headers; its older events; why one waits; released, sent again.
import { execFileSync } from 'node:child_process';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config, POSTHOUSE_DOMAIN: domain } = process.env;

/** The message as it leaves: of tracked mail each recipient's own. */
async function message(page, call) {
	await page.getByRole('tab', { name: 'HTML' }).click();
	await page.getByText('<style>').waitFor();
	await page.getByRole('tab', { name: 'Source' }).click();
	await page.getByText('MIME-Version: 1.0').waitFor();
	await page.getByRole('tab', { name: 'Headers' }).click();
	await page.getByRole('row', { name: 'Message-ID' }).waitFor();
	const { domains } = await call('GET', '/v1/domains');
	const path = `/v1/domains/${domains.find(({ name }) => name === domain).id}`;
	await call('PATCH', path, { open_tracking_enabled: true });
	const { id } = await call('POST', '/v1/emails', { from: `a@${domain}`, to: ['one@test.posthouse.invalid', 'two@test.posthouse.invalid'], subject: 'Own', html: '<p>Own</p>' });
	await call('PATCH', path, { open_tracking_enabled: false });
	await page.open(`/emails/${id}`);
	await page.getByRole('tab', { name: 'Source' }).click();
	await page.getByLabel('Message to').selectOption('two@test.posthouse.invalid');
	await page.getByText('MIME-Version: 1.0').waitFor();
}

/** An email shows the newest events of a recipient; the older ones are read on. */
async function older(page, call) {
	const { domains } = await call('GET', '/v1/domains');
	const path = `/v1/domains/${domains.find(({ name }) => name === domain).id}`;
	await call('PATCH', path, { open_tracking_enabled: true });
	const { id } = await call('POST', '/v1/emails', { from: `a@${domain}`, to: 'delivered@test.posthouse.invalid', subject: 'Often', html: '<p>Often</p>' });
	await call('PATCH', path, { open_tracking_enabled: false });
	const { message } = await call('GET', `/v1/emails/${id}/message?recipient=delivered@test.posthouse.invalid`);
	const [pixel] = /\/t\/o\/[\w-]+/.exec(message.replace(/=\r?\n/g, ''));
	const opens = 160;
	for (let i = 0; i < opens; i++) await (await fetch(process.env.POSTHOUSE_URL + pixel)).arrayBuffer();
	await page.open(`/emails/${id}`);
	const shown = page.locator('.timeline li');
	await page.getByText('There are older events.').waitFor();
	const more = page.getByRole('button', { name: 'Show more' });
	await page.has(shown, 100, 'other events by itself');
	for (let before = 100; before < opens + 2; before = await shown.count()) {
		await more.click();
		await page.until((before) => document.querySelectorAll('.timeline li').length > before, before);
		await page.settled();
	}
	await page.has(shown, opens + 2, 'other events in all');
	const [first, last] = [await shown.first().innerText(), await shown.last().innerText()];
	if (/open/i.test(first) || !/open/i.test(last)) throw new Error(`events from ${first} to ${last}`);
}

/** The page says why an email waits; held mail is released. */
async function waits(page, call) {
	const late = await call('POST', '/v1/emails', { from: `a@${domain}`, to: 'delayed@test.posthouse.invalid', subject: 'Late', text: 'x' });
	await page.open(`/emails/${late.id}`);
	await page.getByText('The receiving server asked to come again later.').waitFor();
	await page.getByText('Attempts so far: 1').waitFor();
	const { id } = await call('POST', '/v1/emails', { from: `a@${domain}`, to: 'held@example.net', subject: 'Held', text: 'x', scheduled_at: Date.now() + 86_400_000 });
	const { name } = await call('GET', '/v1/workspace');
	execFileSync(`${bin}/posthouse`, ['--config', config, 'spool', 'hold', id, '--workspace', name]);
	await page.open(`/emails/${id}`);
	await page.getByText('It is held until somebody releases it').waitFor();
	await page.getByRole('button', { name: 'Release' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Release' }).click();
	await page.getByText('The email is released').waitFor();
	await page.getByText('Its time has not come.').waitFor();
	await call('DELETE', `/v1/emails/${id}`);
}

export default async function ({ page, made, call, fault }) {
	await page.open('/emails');
	await page.getByLabel('Status').selectOption('bounced');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.waitForURL('**/emails?status=bounced');
	await page.settled();
	await page.getByRole('link', { name: 'bounced@test.posthouse.invalid' }).click();
	await page.getByText('550 5.1.1 test address').waitFor();
	await page.getByText('The email came back for good.').waitFor();

	await page.open('/emails');
	await page.getByLabel('Kind').selectOption('Automation');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.getByText('No email fits these filters.').waitFor();
	await page.getByLabel('Kind').selectOption('Transactional');
	await page.getByRole('button', { name: 'Filter' }).click();
	await page.getByRole('link', { name: 'bounced@test.posthouse.invalid' }).first().waitFor();

	await page.open(`/emails/${made.email}`);
	const frame = page.frameLocator('iframe');
	await frame.getByText('Hello').waitFor();
	const sandbox = await page.locator('iframe').getAttribute('sandbox');
	if (sandbox !== 'allow-same-origin') fault('emails', `the frame may ${sandbox}`);
	await page.has(frame.locator('img[src]'), 0, 'a picture stands in the frame before it was asked for');
	await message(page, call);
	await older(page, call);
	await waits(page, call);
	await page.open(`/emails/${made.email}`);
	await page.getByRole('button', { name: 'Send again' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
	await page.getByText('The email was sent again').waitFor();

	await page.open(`/emails/${made.scheduled}`);
	await page.getByRole('button', { name: 'Cancel sending' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel sending' }).click();
	await page.getByText('The email is cancelled').waitFor();
}
