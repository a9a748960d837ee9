// SPDX-License-Identifier: MIT
// Broadcasts: one is written, checked, tested, and sent to 100 people; its figures follow, a click shows on the preview.
import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { promisify } from 'node:util';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config, POSTHOUSE_MAILDIR: maildir } = process.env;
const spool = () => promisify(execFile)(`${bin}/posthouse-spool`, ['--config', config]);

/** The mails that hold a text, without the line breaks of quoted-printable. */
const mails = (text) =>
	readdirSync(`${maildir}/new`)
		.map((name) => readFileSync(`${maildir}/new/${name}`, 'utf8').replace(/=\r?\n/g, '').replaceAll('=3D', '='))
		.filter((mail) => mail.includes(text));

export default async function ({ page, call, made }) {
	const audience = (await call('POST', '/v1/audiences', { name: 'A hundred' })).id;
	for (let from = 0; from < 100; from += 10)
		await Promise.all(Array.from({ length: 10 }, (_, i) => call('POST', `/v1/audiences/${audience}/contacts`, { email: `reader${from + i}@hundred.example`, first_name: `Reader ${from + i}` })));
	const { domains } = await call('GET', '/v1/domains');
	const domain = domains.find(({ name }) => name === process.env.POSTHOUSE_DOMAIN);
	await call('PATCH', `/v1/domains/${domain.id}`, { click_tracking_enabled: true });

	await page.open('/broadcasts');
	await page.getByRole('button', { name: 'Write a broadcast' }).click();
	await page.waitForURL(/broadcasts\/[0-9a-f-]{36}$/);
	const id = page.url().split('/').pop();
	const check = page.getByRole('region', { name: 'Check' });
	await check.getByRole('button', { name: 'Check the draft' }).click();
	await check.getByText('Cannot be sent').waitFor();

	await page.getByRole('textbox', { name: 'Broadcast' }).fill('March');
	await page.getByRole('textbox', { name: 'Subject' }).fill('News for {{first_name|you}}');
	await page.getByRole('textbox', { name: 'Preview text' }).fill('What March brings');
	const html = page.locator('.code-field').getByRole('textbox', { name: 'HTML' });
	await html.fill('<p>Hello {{first_name|there}} <a href="https://example.com/offer">The offer</a></p><a href="{{unsubscribe_url}}">Unsubscribe</a>');
	await page.getByRole('checkbox', { name: 'A hundred' }).check();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('heading', { level: 1, name: 'March' }).waitFor();
	await page.frameLocator('iframe').getByRole('link', { name: 'The offer' }).waitFor();
	await page.getByText('What March brings').waitFor();
	if ((await call('GET', `/v1/broadcasts/${id}`)).preview_text !== 'What March brings') throw new Error('the preview text is not stored');
	await check.getByRole('button', { name: 'Check the draft' }).click();
	await check.getByText('Can be sent').waitFor();
	await check.getByText('It would go to 100 people.').waitFor();

	const dialog = page.getByRole('dialog');
	await page.getByRole('button', { name: 'Send a test' }).click();
	await dialog.getByLabel('To').fill('delivered@test.posthouse.invalid, you@hundred.example');
	await dialog.getByLabel('With the values of').fill('reader1@hundred.example');
	await dialog.getByRole('button', { name: 'Send a test' }).click();
	await page.getByText('The test is on its way').waitFor();

	// A time first, then back.
	await page.getByRole('button', { name: 'Send…' }).click();
	await dialog.getByLabel('When').selectOption('At a time on each person’s clock');
	await dialog.getByLabel('Time', { exact: true }).fill(`${new Date(Date.now() + 30 * 86_400_000).toISOString().slice(0, 10)}T09:00`);
	await dialog.getByLabel('Time zone').selectOption('Europe/Berlin');
	await dialog.getByRole('button', { name: 'Schedule' }).click();
	await page.getByText('on each person’s clock, else in Europe/Berlin').waitFor();
	await page.getByRole('button', { name: 'Back to draft' }).click();
	await page.getByRole('button', { name: 'Send…' }).click();
	await dialog.getByRole('button', { name: 'Send now' }).click();
	await page.getByText('Scheduled', { exact: true }).waitFor();
	while ((await call('GET', `/v1/broadcasts/${id}`)).status !== 'sent') await spool();
	await page.locator('.head').getByText('Sent', { exact: true }).waitFor();
	const figures = page.getByRole('region', { name: 'Figures' });
	await figures.locator('.figure', { hasText: 'Sent' }).getByText('100', { exact: false }).first().waitFor();
	await page.getByRole('cell', { name: 'reader7@hundred.example' }).waitFor();

	// Somebody clicks: the number comes by itself, on the preview too.
	const link = new URL(/https?:\/\/[^\s"<>]+\/t\/c\/[^\s"<>]+/.exec(mails('News for Reader 7')[0])[0]);
	const clicked = await fetch(process.env.POSTHOUSE_URL + link.pathname + link.search, {
		redirect: 'manual',
		headers: { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0' },
	});
	if (clicked.status !== 302) throw new Error(`the link answers ${clicked.status}`);
	await page.open(`/broadcasts/${id}`);
	await page.frameLocator('iframe').locator('.posthouse-heat', { hasText: '1' }).waitFor();
	await page.getByRole('tab', { name: 'Links' }).click();
	await page.getByRole('cell', { name: 'https://example.com/offer' }).waitFor();
	await page.getByLabel('State').selectOption('Skipped');
	await page.getByText('No recipient in this state').waitFor();

	await page.getByRole('button', { name: 'Duplicate' }).click();
	await page.getByRole('heading', { level: 1, name: 'March (copy)' }).waitFor();
	const copy = page.url().split('/').pop();
	await page.getByText('Variants', { exact: true }).click();
	await page.getByRole('button', { name: 'Add a variant' }).click();
	const second = page.getByRole('group', { name: 'Variant 2' });
	await second.getByLabel('Subject').fill('Another subject');
	await page.getByLabel('Share in the test (%)').fill('20');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('tab', { name: 'Variant 2' }).click();
	await page.getByText('Another subject').last().waitFor();
	const stored = await call('GET', `/v1/broadcasts/${copy}`);
	if (stored.test_share !== 20 || stored.variants[1].subject !== 'Another subject') throw new Error(`stored: ${JSON.stringify(stored)}`);
	await page.getByRole('button', { name: 'Delete broadcast' }).click();
	await dialog.getByRole('button', { name: 'Delete broadcast' }).click();
	await page.waitForURL('**/dashboard/broadcasts');
	await page.settled();
	await call('PATCH', `/v1/domains/${domain.id}`, { click_tracking_enabled: false });

	// What a stranger would write is text, and never runs.
	await page.open(`/broadcasts/${made.broadcast}`);
	await page.frameLocator('iframe').getByText('Hello').waitFor();
}
