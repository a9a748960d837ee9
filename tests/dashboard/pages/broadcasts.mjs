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

const hostile = '<img src=x onerror=window.hurt=1>.png';

/** Files are added, refused, removed and saved; those that stay keep their ids. */
async function attach(page, call, id, accessible) {
	const field = page.getByRole('group', { name: 'Attachments' });
	const rows = field.getByRole('listitem');
	const add = (...files) => field.getByLabel('Attachments', { exact: true }).setInputFiles(files.map(([name, content, mimeType = 'text/plain']) => ({ name, mimeType, buffer: Buffer.from(content) })));
	const stored = async () => (await call('GET', `/v1/broadcasts/${id}`)).attachments;
	const save = async () => {
		const answer = page.waitForResponse((response) => response.url().endsWith(`/v1/broadcasts/${id}`) && response.request().method() === 'PATCH');
		await page.getByRole('button', { name: 'Save' }).click();
		await answer;
		await page.settled();
	};
	await add(['programme.txt', 'The programme']);
	await add(['empty.bin', '', ''], [hostile, 'png', 'image/png']);
	await rows.filter({ hasText: 'programme.txt 13 bytes' }).waitFor();
	await page.has(rows, 3, 'other attachments are listed');
	await save();
	const first = await stored();
	const seen = first.map(({ filename, size, content_type }) => [filename, size, content_type].join());
	if (seen.join(';') !== `programme.txt,13,text/plain;empty.bin,0,application/octet-stream;${hostile},3,image/png`) throw new Error(`stored: ${seen.join(';')}`);
	await accessible(page, 'attachments');

	// One goes, one comes, the rest stays.
	await field.getByRole('button', { name: 'Remove empty.bin' }).click();
	await add(['more.txt', 'more']);
	await rows.filter({ hasText: 'more.txt' }).waitFor();
	await save();
	const second = await stored();
	if (second.map(({ filename }) => filename).join(';') !== `programme.txt;${hostile};more.txt`) throw new Error(`stored: ${JSON.stringify(second)}`);
	if (second[0].id !== first[0].id || second[1].id !== first[2].id) throw new Error('those that stay have other ids');
	await page.open(`/broadcasts/${id}`);
	await rows.filter({ hasText: 'more.txt 4 bytes' }).waitFor();

	// Too many, too large: the field says so, and takes none of them.
	await add(...Array.from({ length: 8 }, (_, index) => [`${index}.txt`, 'x']));
	await field.getByRole('alert').filter({ hasText: 'at most 10 attachments' }).waitFor();
	await accessible(page, 'a fault of attachments');
	await add(['large.bin', Buffer.alloc(10 * 1024 * 1024 - 20 + 1)]);
	await field.getByRole('alert').filter({ hasText: 'at most 10 MB together' }).waitFor();
	await page.has(rows, 3, 'files are taken that are too many or too large');
	await add(['large.bin', Buffer.alloc(10 * 1024 * 1024 - 20)]);
	await field.getByRole('alert').waitFor({ state: 'detached' });
	await rows.filter({ hasText: 'large.bin' }).waitFor();
	await field.getByRole('button', { name: 'Remove large.bin' }).click();

	// What the service alone knows stands at the field, too.
	page.expected.push(`/v1/broadcasts/${id}`);
	await add([`${'n'.repeat(252)}.txt`, 'x']);
	await rows.nth(3).waitFor();
	await save();
	await field.getByRole('alert').filter({ hasText: 'Attachments, entry 4, File name may have 255 characters at most.' }).waitFor();
	page.expected.length = 0;
	await page.getByRole('status').getByRole('button', { name: 'Close' }).first().click();
	for (let left = await rows.count(); left > 0; left--) await field.getByRole('button', { name: /^Remove/ }).first().click();
	await field.getByRole('alert').waitFor({ state: 'detached' });
	await add(['programme.txt', 'The programme']);
	await page.has(rows, 1, 'removed attachments are listed');
	await save();
	if ((await stored()).length !== 1) throw new Error('removed attachments are stored');
}

/** A broadcast whose mails had no visible link to unsubscribe says so when it was sent. */
async function warn(page, call, audience) {
	const { default_sender } = await call('GET', '/v1/workspace');
	const html = '<p>Short</p><div style="display:none"><a href="{{unsubscribe_url}}">Unsubscribe</a></div>';
	const { id } = await call('POST', '/v1/broadcasts', { name: 'Hidden', subject: 'S', html, audiences: [audience], from: default_sender ?? `news@${process.env.POSTHOUSE_DOMAIN}` });
	await call('POST', `/v1/broadcasts/${id}/send`, {});
	let now;
	while ((now = await call('GET', `/v1/broadcasts/${id}`)).status !== 'sent') await spool();
	if (!now.warning) throw new Error('the broadcast has no warning');
	await page.open(`/broadcasts/${id}`);
	await page.locator('.head').getByText('No link to unsubscribe is visible; a footer with one is added.').waitFor();
}

/** Send and Test take what stands on the screen; a review says what leaves to whom; no time of the past can be chosen. */
async function review(page, call, id, accessible) {
	const dialog = page.getByRole('dialog');
	const subject = page.getByRole('textbox', { name: 'Subject' });
	await subject.fill('Not saved by hand');
	await page.getByText('Not saved yet', { exact: true }).waitFor();
	await page.getByRole('button', { name: 'Send a test' }).click();
	await dialog.getByLabel('To').waitFor();
	if ((await call('GET', `/v1/broadcasts/${id}`)).subject !== 'Not saved by hand') throw new Error('a test is of what was saved before');
	// It opens on its first field.
	await dialog.getByLabel('To').and(page.locator(':focus')).waitFor();
	await page.keyboard.press('Escape');
	await dialog.waitFor({ state: 'detached' });
	// The dialog gives the focus back.
	await page.getByRole('button', { name: 'Send a test' }).and(page.locator(':focus')).waitFor();

	await subject.fill('Hello {{first_name|you}}');
	await page.getByRole('button', { name: 'Send…' }).click();
	await dialog.getByText('3 people', { exact: true }).waitFor();
	if ((await call('GET', `/v1/broadcasts/${id}`)).subject !== 'Hello {{first_name|you}}') throw new Error('what leaves is what was saved before');
	await dialog.getByText('1 person is left out: unsubscribed').waitFor();
	await dialog.getByText('1 person is left out: not in the audience').waitFor();
	for (const text of ['Four', 'Those with an o', 'What May brings', 'Hello {{first_name|you}}']) await dialog.getByText(text, { exact: false }).first().waitFor();
	await page.has(dialog.getByRole('tab'), 3, 'the review does not show three people');
	const mail = dialog.frameLocator('iframe');
	await dialog.getByText('Hello Mia', { exact: true }).waitFor();
	await mail.getByText('One of the best', { exact: true }).waitFor();
	await dialog.getByRole('tab', { name: 'ida@four.example' }).click();
	await dialog.getByText('Hello Ida', { exact: true }).waitFor();
	await mail.getByText('One of many', { exact: true }).waitFor();
	await accessible(page, 'the review');

	// The field takes no time of the past, and says whose clock it is.
	await dialog.getByLabel('When').selectOption('At a time');
	await dialog.getByText(`On your clock: ${await page.evaluate(() => Intl.DateTimeFormat().resolvedOptions().timeZone)}`).waitFor();
	await dialog.getByLabel('Time', { exact: true }).fill('2020-01-01T09:00');
	await dialog.getByRole('button', { name: 'Schedule' }).click();
	if (await dialog.getByLabel('Time', { exact: true }).evaluate((field) => field.validity.valid)) throw new Error('a time of the past can be chosen');
	await page.settled();
	if ((await call('GET', `/v1/broadcasts/${id}`)).status !== 'draft') throw new Error('a time of the past sends');
	await page.keyboard.press('Escape');
	await dialog.waitFor({ state: 'detached' });
}

/** A draft to four people, of whom one has unsubscribed, and one is in a segment that is left out. */
async function reviewed({ page, call, accessible }) {
	const audience = (await call('POST', '/v1/audiences', { name: 'Four' })).id;
	for (const name of ['Mia', 'Ida', 'Lia', 'Eve', 'Tom']) await call('POST', `/v1/audiences/${audience}/contacts`, { email: `${name.toLowerCase()}@four.example`, first_name: name });
	await call('PATCH', '/v1/people/eve@four.example', { subscribed: false });
	await call('PATCH', '/v1/people/mia@four.example', { properties: { vip: true } });
	const out = (await call('POST', '/v1/segments', { name: 'Those with an o', rules: { rules: [{ property: 'contact.first_name', operator: 'equals', value: 'Tom' }] } })).id;
	const { default_sender } = await call('GET', '/v1/workspace');
	const { id } = await call('POST', '/v1/broadcasts', {
		name: 'May', subject: 'S', preview_text: 'What May brings', audiences: [audience], exclude_segments: [out],
		html: '<p>Dear {{first_name}}</p><p>{{#if vip}}One of the best{{else}}One of many{{/if}}</p><a href="{{unsubscribe_url}}">Leave</a>', from: default_sender ?? `news@${process.env.POSTHOUSE_DOMAIN}`,
	});
	await page.open('/broadcasts');
	await page.getByRole('link', { name: 'May', exact: true }).click();
	await review(page, call, id, accessible);

	// Leaving asks; Ctrl S saves.
	const subject = page.getByRole('textbox', { name: 'Subject' });
	const dialog = page.getByRole('dialog');
	await subject.fill('Nearly lost');
	await page.getByRole('link', { name: '← Broadcasts' }).click();
	await dialog.getByText('Leave without saving?').waitFor();
	await accessible(page, 'leaving');
	await dialog.getByRole('button', { name: 'Stay' }).click();
	await page.goBack();
	await dialog.getByText('Leave without saving?').waitFor();
	await dialog.getByRole('button', { name: 'Stay' }).click();
	await dialog.waitFor({ state: 'detached' });
	await page.is(() => subject.inputValue(), 'Nearly lost', 'what was typed is lost');
	await subject.press('Control+s');
	await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
	if ((await call('GET', `/v1/broadcasts/${id}`)).subject !== 'Nearly lost') throw new Error('Ctrl S does not save');
	await subject.fill('Saved on the way');
	await page.getByRole('link', { name: '← Broadcasts' }).click();
	await dialog.getByRole('button', { name: 'Save and leave' }).click();
	await page.waitForURL('**/broadcasts');
	if ((await call('GET', `/v1/broadcasts/${id}`)).subject !== 'Saved on the way') throw new Error('Save and leave does not save');
	await call('DELETE', `/v1/broadcasts/${id}`);
}

/** Above 1,000 people their number is typed, and another one does not send. */
async function many({ page, call, accessible }) {
	const audience = (await call('POST', '/v1/audiences', { name: 'Many' })).id;
	const rows = Array.from({ length: 1001 }, (_, index) => ({ email: `m${index}@many.example` }));
	for (let from = 0; from < rows.length; from += 500) await call('POST', `/v1/audiences/${audience}/import`, { rows: rows.slice(from, from + 500) });
	const { default_sender } = await call('GET', '/v1/workspace');
	const { id } = await call('POST', '/v1/broadcasts', { name: 'Large', subject: 'S', audiences: [audience], html: '<a href="{{unsubscribe_url}}">Leave</a>', from: default_sender ?? `news@${process.env.POSTHOUSE_DOMAIN}` });
	const dialog = page.getByRole('dialog');
	await page.open(`/broadcasts/${id}`);
	await page.getByRole('button', { name: 'Send…' }).click();
	await dialog.getByText('1,001 people', { exact: true }).waitFor();
	const typed = dialog.getByLabel('Type the number of people: 1,001');
	await typed.fill('1000');
	await accessible(page, 'a typed number');
	await dialog.getByRole('button', { name: 'Send now' }).click();
	await dialog.getByText('This is not what has to be typed.').waitFor();
	await page.settled();
	if ((await call('GET', `/v1/broadcasts/${id}`)).status !== 'draft') throw new Error('another number sends');
	await typed.fill('1001');
	await dialog.getByRole('button', { name: 'Send now' }).click();
	await page.getByText('Scheduled', { exact: true }).waitFor();
	await call('POST', `/v1/broadcasts/${id}/cancel`);
	await page.open('/broadcasts');
}

export default async function (given) {
	const { page, call, made, accessible } = given;
	await reviewed(given);
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
	await html.fill('<p>Hello {{first_name|there}} <a href="https://example.com/offer">The offer</a> {{town|nearby}}</p><a href="{{unsubscribe_url}}">Unsubscribe</a>');
	await page.getByRole('checkbox', { name: 'A hundred' }).check();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('heading', { level: 1, name: 'March' }).waitFor();
	await page.frameLocator('iframe').getByRole('link', { name: 'The offer' }).waitFor();
	await page.getByText('What March brings').waitFor();
	if ((await call('GET', `/v1/broadcasts/${id}`)).preview_text !== 'What March brings') throw new Error('the preview text is not stored');
	// The preview is of what is written, for a person who is chosen.
	const preview = page.getByRole('region', { name: 'Preview' });
	await preview.getByLabel('See it as').fill('reader2@hundred.example');
	await preview.getByText('News for Reader 2', { exact: true }).waitFor();
	await preview.getByText('What March brings').waitFor();
	await page.frameLocator('iframe').getByText('Hello Reader 2 The offer').waitFor();
	await page.getByRole('textbox', { name: 'Subject' }).fill('{{#if first_name}}For {{first_name}}{{/if}}');
	await preview.getByText('For Reader 2', { exact: true }).waitFor();
	await preview.getByText('it is not saved yet').waitFor();
	await accessible(page, 'a broadcast as a person sees it');
	await page.getByRole('textbox', { name: 'Subject' }).fill('News for {{first_name|you}}');
	await page.getByRole('button', { name: 'Save' }).click();
	await preview.getByText('it is not saved yet').waitFor({ state: 'detached' });
	await preview.getByLabel('See it as').fill('');
	await preview.getByText('News for {{first_name|you}}').waitFor();
	await attach(page, call, id, accessible);
	await check.getByRole('button', { name: 'Check the draft' }).click();
	await check.getByText('Can be sent').waitFor();
	await check.getByText('It would go to 100 people.').waitFor();
	await check.getByRole('listitem').filter({ hasText: '{{town}} has no value' }).getByText('100 people of those looked at.').waitFor();

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
	await dialog.getByText('100 people', { exact: true }).waitFor();
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
	if (!mails('News for Reader 7')[0].includes('programme.txt')) throw new Error('the mail has no attachment');
	if (clicked.status !== 302) throw new Error(`the link answers ${clicked.status}`);
	await page.open(`/broadcasts/${id}`);
	await page.frameLocator('iframe').locator('.posthouse-heat', { hasText: '1' }).waitFor();
	await page.getByRole('tab', { name: 'Links' }).click();
	await page.getByRole('cell', { name: 'https://example.com/offer' }).waitFor();
	// Recipients by what they did, and a segment of them.
	const recipients = page.getByRole('region', { name: 'Recipients' });
	await recipients.getByLabel('Who').selectOption('Skipped');
	await page.getByText('No recipient fits').waitFor();
	await recipients.getByLabel('Who').selectOption('Clicked in it');
	await page.waitForURL(({ search }) => search === '?recipients=clicked');
	await recipients.getByRole('cell', { name: 'reader7@hundred.example' }).waitFor();
	await page.has(recipients.getByRole('row'), 2, 'others stand among those who clicked');
	await recipients.getByRole('button', { name: 'Make a segment of them' }).click();
	await accessible(page, 'a segment of recipients');
	await dialog.getByRole('button', { name: 'Create' }).click();
	await page.waitForURL('**/segments/*');
	await page.getByRole('cell', { name: 'reader7@hundred.example' }).waitFor();
	await page.goBack();
	await page.settled();
	await recipients.getByLabel('Who').selectOption('Got it and did not click in it');
	await recipients.getByRole('cell', { name: 'reader8@hundred.example' }).waitFor();
	await page.has(recipients.getByRole('cell', { name: 'reader7@hundred.example' }), 0, 'one who clicked did not click');

	// The mail stands with the person, by the broadcast's name.
	const { emails } = await call('GET', '/v1/people/reader7@hundred.example/emails');
	const got = JSON.stringify(emails.map(({ type, broadcast_id, email_id, status }) => [type, broadcast_id, email_id, status]));
	if (got !== JSON.stringify([['broadcast', id, null, 'clicked']])) throw new Error(`emails of a person: ${got}`);
	await page.open('/people/reader7%40hundred.example');
	await page.getByRole('tab', { name: 'Emails' }).click();
	await page.getByRole('row', { name: /^News for Reader 7 Broadcast March / }).getByRole('link', { name: 'March', exact: true }).click();
	await page.waitForURL(`**/broadcasts/${id}`);

	await page.getByRole('button', { name: 'Duplicate' }).click();
	await page.getByRole('heading', { level: 1, name: 'March (copy)' }).waitFor();
	const copy = page.url().split('/').pop();
	await page.getByText('Variants', { exact: true }).click();
	await page.getByRole('button', { name: 'Add a variant' }).click();
	const second = page.getByRole('group', { name: 'Variant 2' });
	await second.getByLabel('Subject').fill('Another subject');
	await preview.getByRole('tab', { name: 'Variant 1', selected: true }).waitFor();
	await preview.getByRole('tabpanel').getByText('News for {{first_name|you}}').waitFor();
	await page.getByLabel('Share in the test (%)').fill('20');
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByRole('tab', { name: 'Variant 2' }).click();
	await page.getByText('Another subject').last().waitFor();
	await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
	const stored = await call('GET', `/v1/broadcasts/${copy}`);
	if (stored.test_share !== 20 || stored.variants[1].subject !== 'Another subject') throw new Error(`stored: ${JSON.stringify(stored)}`);
	await page.getByRole('button', { name: 'Delete broadcast' }).click();
	await dialog.getByRole('button', { name: 'Delete broadcast' }).click();
	await page.waitForURL('**/broadcasts');
	await page.settled();
	await call('PATCH', `/v1/domains/${domain.id}`, { click_tracking_enabled: false });

	await warn(page, call, audience);
	await many(given);

	// What a stranger would write is text, and never runs.
	await page.open(`/broadcasts/${made.broadcast}`);
	await page.frameLocator('iframe').getByText('Hello').waitFor();
}
