// SPDX-License-Identifier: MIT
// Templates: one is made, written, previewed with values and for a person as the service renders it before it is saved, tested, copied and deleted.

/** The editor: it offers variables, text takes the place of text without a fault, Escape and then Tab leaves it. */
async function write(page) {
	const html = page.locator('.code-field').getByRole('textbox', { name: 'HTML' });
	await html.fill('<p class="first">Welcome</p>\n<!-- {{greeting}} -->\n<p style="color: red">{{name}}</p>');
	// Over text of each colour, by key and at once: the browser would keep its style with an attribute, which the policy forbids.
	await html.locator('span').first().waitFor();
	for (const text of ['x', '<p>Some text, and <b>more</b></p>']) {
		await html.press('Control+a');
		await page.keyboard.insertText(text);
		await html.getByText(text).waitFor();
	}
	await html.press('Control+a');
	await page.keyboard.press('w');
	await page.keyboard.press('Control+z');
	await html.getByText('Some text').waitFor();
	await html.press('Control+End');
	await page.keyboard.press('Enter');
	await page.keyboard.type('{{unsub');
	await page.locator('.code-field').getByRole('option', { name: 'unsubscribe_url' }).click();
	await html.getByText('{{unsubscribe_url}}').waitFor();
	for (const key of ['Escape', 'Escape', 'Tab']) await page.keyboard.press(key); // the first one may close a list
	await page.getByRole('textbox', { name: 'Text' }).and(page.locator(':focus')).waitFor();
	await html.fill('<p>Welcome, {{name}}</p>');
}

/** What is typed and not saved is offered again. */
async function kept(page, call, id) {
	const subject = page.getByRole('textbox', { name: 'Subject' });
	const put = page.waitForResponse((response) => response.url().includes('/v1/session/notes/template/') && response.request().method() === 'PUT' && response.request().postData().includes('Typed for long'));
	await subject.fill('Typed for long');
	await put;
	await page.getByRole('link', { name: '← Templates' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
	await page.getByRole('link', { name: 'Welcome', exact: true }).click();
	await page.getByRole('button', { name: 'Go on with it' }).click();
	await page.is(() => subject.inputValue(), 'Typed for long', 'the draft has another subject');
	if ((await call('GET', `/v1/templates/${id}`)).subject === 'Typed for long') throw new Error('a draft is live');
	const gone = page.waitForResponse((response) => response.url().includes('/v1/session/notes/template/') && response.request().method() === 'DELETE');
	const again = page.waitForResponse((response) => response.url().includes('/v1/session/notes/template/') && response.request().method() === 'PUT');
	await again;
	await page.getByRole('button', { name: 'Save' }).click();
	await gone;
	await page.reload();
	await subject.waitFor();
	await page.settled();
	await page.has(page.getByRole('button', { name: 'Go on with it' }), 0, 'a draft that was saved is offered again');
}

/** A draft that is stored after its template was saved and left is dropped, and not offered again. */
async function storedLate(page) {
	const subject = page.getByRole('textbox', { name: 'Subject' });
	const notes = /\/v1\/session\/notes\/template\//;
	const answered = (method) => page.waitForResponse((response) => notes.test(response.url()) && response.request().method() === method);
	const first = answered('PUT');
	await subject.fill('Kept at once');
	await first;
	const second = await page.hold(notes, 1);
	await subject.fill('Kept late');
	await second.there();
	const both = Promise.all([answered('PUT'), answered('DELETE')]);
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
	await page.getByRole('link', { name: '← Templates' }).click();
	await page.waitForURL('**/templates');
	second.go();
	await both;
	await page.unroute(notes);
	await page.getByRole('link', { name: 'Welcome', exact: true }).click();
	await subject.waitFor();
	await page.has(page.getByRole('button', { name: 'Go on with it' }), 0, 'a draft that was stored late is offered');
}

/** Another writer has saved meanwhile: both versions are shown, and one is chosen. */
async function twoWriters(page, call, id, accessible) {
	const subject = page.getByRole('textbox', { name: 'Subject' });
	const dialog = page.getByRole('dialog', { name: 'Changed by somebody else' });
	const now = async () => (await call('GET', `/v1/templates/${id}`)).subject;
	page.expected.push(`/v1/templates/${id}`); // 412
	for (const [button, want] of [['Save mine over theirs', 'Of mine'], ['Take theirs', 'Of theirs']]) {
		await page.reload();
		await subject.waitFor();
		await page.settled();
		await call('PATCH', `/v1/templates/${id}`, { subject: 'Of theirs' });
		await subject.fill('Of mine');
		await page.getByRole('button', { name: 'Save' }).click();
		await dialog.getByText('Of theirs').waitFor();
		await dialog.getByText('Of mine').waitFor();
		if ((await now()) !== 'Of theirs') throw new Error('the other writer is overwritten unasked');
		await accessible(page, 'two writers');
		await dialog.getByRole('button', { name: button }).click();
		await dialog.waitFor({ state: 'detached' });
		await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
		await page.is(() => subject.inputValue(), want, `${button} shows something else`);
		if ((await now()) !== want) throw new Error(`${button}: ${await now()} is stored`);
	}
	page.expected.length = 0;
}

/** Versions are listed, compared and restored. */
async function versions(page, call, id, accessible) {
	await call('PATCH', `/v1/templates/${id}`, { subject: 'The old one' });
	await call('PATCH', `/v1/templates/${id}`, { subject: 'The new one' });
	await page.reload();
	await page.getByRole('button', { name: 'Versions' }).click();
	const dialog = page.getByRole('dialog', { name: 'Versions' });
	await dialog.getByRole('row').nth(2).getByRole('button', { name: 'Compare' }).click();
	await dialog.getByText('The old one').waitFor();
	await dialog.getByText('The new one').waitFor();
	await accessible(page, 'versions');
	await dialog.getByRole('button', { name: /^Restore version/ }).click();
	await dialog.waitFor({ state: 'detached' });
	await page.until(() => [...document.querySelectorAll('input')].some(({ value }) => value === 'The old one'));
	if ((await call('GET', `/v1/templates/${id}`)).subject !== 'The old one') throw new Error('the version is not restored');
}

/** The preview is that of a person: variables and conditions of the subject, the text beside it, and the html are filled in, and the values that are typed go first. */
async function seen(page, call, id, accessible) {
	// More than the service takes as variables at once.
	const more = Object.fromEntries(Array.from({ length: 120 }, (_, index) => [`a${index}`, index]));
	await call('POST', '/v1/people', { email: 'seen@person.example', first_name: 'Grace', properties: { ...more, plan: 'pro' } });
	await call('PATCH', `/v1/templates/${id}`, { subject: 'For {{first_name|you}}', preview_text: 'About {{plan}}', html: '<p>{{#if plan}}You have {{plan}}, {{contact.email}}{{else}}You have nothing{{/if}}</p>' });
	await page.reload();
	const mail = page.frameLocator('iframe');
	await page.getByText('For you').waitFor();
	await mail.getByText('You have nothing').waitFor();
	const field = page.getByLabel('See it as');
	await field.fill('seen@');
	await page.locator('datalist option[value="seen@person.example"]').waitFor({ state: 'attached' });
	await field.fill('nobody@person.example');
	await page.getByText('Nobody has this address or name.').waitFor();
	await field.fill('seen@person.example');
	await page.getByText('For Grace').waitFor();
	await page.getByText('About pro').waitFor();
	await mail.getByText('You have pro, seen@person.example').waitFor();
	await accessible(page, 'a template as a person sees it');
	// What is shown is the person as they are now: what was read is old, and the page is left and opened again.
	const again = async () => {
		await page.evaluate(() => {
			const now = Date.now;
			Date.now = () => now() + 60_000;
		});
		await page.getByRole('link', { name: '← Templates' }).click();
		await page.getByRole('link', { name: 'Welcome', exact: true }).click();
	};
	await call('PATCH', '/v1/people/seen@person.example', { first_name: 'Ada' });
	await again();
	await page.getByText('For Ada').waitFor();
	await page.getByRole('textbox', { name: 'Sample values' }).fill('{"plan": "basic"}');
	await mail.getByText('You have basic').waitFor();
	await page.getByRole('textbox', { name: 'Subject' }).fill('Not saved, {{first_name}}');
	await page.getByText('Not saved, Ada').waitFor();
	// No copy is made of what cannot be saved, which is told once.
	const name = page.getByRole('textbox', { name: 'Template', exact: true });
	const told = page.getByText('A field is not filled in as it has to be.');
	await name.fill(' ');
	await page.getByRole('button', { name: 'Duplicate' }).click();
	await told.waitFor();
	await page.getByRole('button', { name: 'Duplicate', disabled: false }).waitFor();
	await page.has(told, 1, 'it is told twice');
	// It covers nothing on a phone.
	await page.setViewportSize({ width: 390, height: 800 });
	if (await page.evaluate(() => document.querySelector('.notices').getBoundingClientRect().bottom > document.querySelector('.save').getBoundingClientRect().top)) throw new Error('a message lies over what saves');
	await page.setViewportSize({ width: 1280, height: 800 });
	await name.fill('Welcome');
	// A copy is one of what stands on the screen.
	await page.getByRole('button', { name: 'Duplicate' }).click();
	await page.getByRole('heading', { level: 1, name: 'Welcome (copy)' }).waitFor();
	const copy = (await call('GET', '/v1/templates')).templates.find(({ name }) => name === 'Welcome (copy)');
	if (copy.subject !== 'Not saved, {{first_name}}') throw new Error(`the copy has ${copy.subject}`);
	await page.settled();
	await call('DELETE', '/v1/people/seen@person.example');
	await again();
	await page.getByText('Nobody has this address or name.').waitFor();
	await page.getByText('Not saved, ', { exact: true }).waitFor();
	await call('DELETE', `/v1/templates/${copy.id}`);
	await page.open(`/templates/${id}`);
}

export default async function ({ page, call, accessible }) {
	await call('POST', '/v1/templates', { id: 'frame', name: 'Frame', html: '<h1>Our letterhead</h1>{{{body}}}' });
	await page.open('/templates');
	await page.getByRole('button', { name: 'Make a template' }).click();
	await page.getByRole('textbox', { name: 'Template' }).fill('Welcome');
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{name}}');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await write(page);
	// The preview shows what is not saved yet, and says what is wrong with it.
	await page.getByRole('textbox', { name: 'Sample values' }).fill('{"name": "Ada"}');
	await page.getByText('Dear Ada').waitFor();
	await page.frameLocator('iframe').getByText('Welcome, Ada').waitFor();
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{#if name}}');
	await page.getByRole('alert').filter({ hasText: 'subject' }).waitFor();
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{name}}!');
	await page.getByText('Dear Ada!').waitFor();
	await page.getByLabel('Layout').selectOption('Frame');
	await page.frameLocator('iframe').getByText('Our letterhead').waitFor();
	await page.getByRole('textbox', { name: 'Preview text' }).fill('For {{name}} & all');
	await page.getByText('For Ada & all').waitFor();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText('Saved', { exact: true }).first().waitFor();
	const { templates } = await call('GET', '/v1/templates');
	const stored = await call('GET', `/v1/templates/${templates.find(({ name }) => name === 'Welcome').id}`);
	if (stored.preview_text !== 'For {{name}} & all') throw new Error(`stored: ${JSON.stringify(stored)}`);
	await page.getByText('it is not saved yet').waitFor({ state: 'detached' });
	await page.getByText('For Ada & all').waitFor();
	await page.frameLocator('iframe').getByText('Our letterhead').waitFor();
	// A test is of what stands on the screen; Ctrl S saves; leaving asks.
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{name}}?');
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByRole('dialog').waitFor();
	if ((await call('GET', `/v1/templates/${stored.id}`)).subject !== 'Dear {{name}}?') throw new Error('a test is of what was saved before');
	await page.keyboard.press('Escape');
	await page.getByRole('textbox', { name: 'Subject' }).fill('Dear {{name}}!!');
	await page.keyboard.press('Control+s');
	await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
	if ((await call('GET', `/v1/templates/${stored.id}`)).subject !== 'Dear {{name}}!!') throw new Error('Ctrl S does not save');
	await page.settled(); // the draft is dropped
	await page.getByRole('textbox', { name: 'Subject' }).fill('Lost');
	await page.getByRole('link', { name: '← Templates' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
	await page.waitForURL('**/templates');
	await page.getByRole('link', { name: 'Welcome', exact: true }).click();
	await page.is(() => page.getByRole('textbox', { name: 'Subject' }).inputValue(), 'Dear {{name}}!!', 'what was left is saved');
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByLabel('To').fill('delivered@test.posthouse.invalid');
	await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
	await page.getByText('The test is on its way').waitFor();
	await kept(page, call, stored.id);
	await storedLate(page);
	await twoWriters(page, call, stored.id, accessible);
	await versions(page, call, stored.id, accessible);
	await seen(page, call, stored.id, accessible);
	await page.getByRole('button', { name: 'Delete template' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
	await page.waitForURL('**/templates');
	await page.settled();
}
