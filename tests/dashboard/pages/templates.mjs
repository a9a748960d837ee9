// SPDX-License-Identifier: MIT
// Templates: one is made, written, previewed with values as the service renders it before it is saved, tested and deleted.

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

export default async function ({ page, call }) {
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
	await page.getByText('Not saved yet').waitFor({ state: 'detached' });
	if ((await call('GET', `/v1/templates/${stored.id}`)).subject !== 'Dear {{name}}!!') throw new Error('Ctrl S does not save');
	await page.getByRole('textbox', { name: 'Subject' }).fill('Lost');
	await page.getByRole('link', { name: '← Templates' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Leave without saving' }).click();
	await page.waitForURL('**/templates');
	await page.getByRole('link', { name: 'Welcome', exact: true }).click();
	if ((await page.getByRole('textbox', { name: 'Subject' }).inputValue()) !== 'Dear {{name}}!!') throw new Error('what was left is saved');
	await page.getByRole('button', { name: 'Send a test' }).click();
	await page.getByLabel('To').fill('delivered@test.posthouse.invalid');
	await page.getByRole('dialog').getByRole('button', { name: 'Send a test' }).click();
	await page.getByText('The test is on its way').waitFor();
	await page.getByRole('button', { name: 'Delete template' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Delete template' }).click();
	await page.waitForURL('**/templates');
	await page.settled();
}
