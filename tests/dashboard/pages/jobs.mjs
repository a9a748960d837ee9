// SPDX-License-Identifier: MIT
// Twelve jobs of a marketer, a developer and an operator, each from its start to its end: on a wide screen and on a phone. On the
// way axe finds nothing, no dialog's either and in neither light nor dark colours, and nothing is wider than the screen. SHOTS=FOLDER
// keeps pictures of all that is seen.
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const { POSTHOUSE_DOMAIN: domain, POSTHOUSE_URL: url, POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config, SHOTS: shots } = process.env;
const spool = () => promisify(execFile)(`${bin}/posthouse-spool`, ['--config', config]);
const sizes = [
	{ name: 'wide', viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
	{ name: 'phone', viewport: { width: 390, height: 844 }, colorScheme: 'dark' },
];

const dialogOf = (page) => page.getByRole('dialog');
const open = async (page, path, button, see) => {
	await page.open(path);
	await page.getByRole('button', { name: button, exact: true }).click();
	await dialogOf(page).waitFor();
	await see(`${button}, open`);
};
const close = (page, button) => dialogOf(page).getByRole('button', { name: button, exact: true }).last().click();

const jobs = {
	async 'a domain and its records'({ page, name, see, call }) {
		await open(page, '/domains', 'Add a domain', see);
		await page.getByRole('textbox', { name: 'Domain' }).fill(`${name}.example`);
		await close(page, 'Add');
		await page.getByRole('heading', { name: `${name}.example` }).waitFor();
		await page.getByText(`_dmarc.${name}.example`, { exact: true }).first().waitFor();
		await see('records');
		const { domains } = await call('GET', '/v1/domains');
		await call('DELETE', `/v1/domains/${domains.find((one) => one.name === `${name}.example`).id}`);
	},
	async 'a key, and a mail by it'({ page, name, see }) {
		await open(page, '/keys', 'Make a key', see);
		await page.getByLabel('Name').fill(`For ${name}`);
		await close(page, 'Create');
		const key = await dialogOf(page).locator('code').innerText();
		await see('the key');
		const email = { from: `shop@${domain}`, to: 'delivered@test.posthouse.invalid', subject: `By ${name}`, text: 'Hello' };
		const sent = await fetch(`${url}/v1/emails`, { method: 'POST', headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' }, body: JSON.stringify(email) });
		if (sent.status !== 201) throw new Error(`the new key is answered with ${sent.status}`);
		const { id } = await sent.json();
		await page.open(`/emails/${id}`);
		await page.getByText('The email was delivered.').waitFor();
	},
	async 'people'({ page, name, see, call }) {
		const email = `${name}@jobs.example`;
		await open(page, '/people', 'Add a person', see);
		await dialogOf(page).getByLabel('Email address').fill(email);
		await dialogOf(page).getByLabel('First name').fill('Ada');
		await close(page, 'Add');
		await dialogOf(page).waitFor({ state: 'detached' });
		await page.open(`/people/${encodeURIComponent(email)}`);
		await page.getByText('Ada').first().waitFor();
		await see('a person');
		if ((await call('GET', `/v1/people/${email}`)).first_name !== 'Ada') throw new Error('the person is another one');
	},
	async 'an audience'({ page, name, see, call, kept }) {
		await open(page, '/audiences', 'Make an audience', see);
		await page.getByRole('textbox', { name: 'Audience' }).fill(`Readers ${name}`);
		await close(page, 'Create');
		await page.getByRole('link', { name: `Readers ${name}` }).waitFor();
		kept.audience = (await call('GET', '/v1/audiences')).audiences.find((one) => one.name === `Readers ${name}`).id;
		await call('POST', `/v1/audiences/${kept.audience}/contacts`, { email: `${name}@jobs.example` });
	},
	async 'an import'({ page, name, see, kept }) {
		await page.open('/people/import');
		await page.getByLabel('File').setInputFiles({ name: `${name}.csv`, mimeType: 'text/csv', buffer: Buffer.from(`email,first_name\nfile.${name}@jobs.example,Eve\n`) });
		await page.getByLabel('Into audience').selectOption(kept.audience);
		await see('columns of a file');
		await page.getByRole('button', { name: 'Import', exact: true }).click();
		await page.getByRole('heading', { level: 1, name: `${name}.csv` }).waitFor();
		const done = page.getByText('Done', { exact: true }).first();
		for (let runs = 0; runs < 20 && !(await done.isVisible()); runs++) await spool();
		await done.waitFor();
		await see('an import');
		await page.open(`/audiences/${kept.audience}?search=file.${name}`);
		await page.getByText(`file.${name}@jobs.example`).first().waitFor();
	},
	async 'a segment'({ page, name, see }) {
		await page.open('/segments/new');
		await page.getByRole('textbox', { name: 'Segment' }).fill(`Those of ${name}`);
		await page.getByRole('button', { name: 'Add a rule' }).click();
		const rule = page.getByRole('group', { name: 'Rule 1' });
		await rule.getByRole('combobox', { name: 'Name of the property' }).fill('contact.email');
		await rule.getByRole('textbox', { name: 'Value' }).fill(`${name}@jobs.example`);
		await page.getByRole('region', { name: 'Found now' }).getByText('1', { exact: true }).first().waitFor();
		await see('rules');
		await page.getByRole('button', { name: 'Save' }).click();
		await page.getByRole('heading', { level: 1, name: `Those of ${name}` }).waitFor();
	},
	async 'a template'({ page, name, see, call }) {
		await open(page, '/templates', 'Make a template', see);
		await dialogOf(page).getByRole('textbox', { name: 'Template' }).fill(`Job ${name}`);
		await dialogOf(page).getByRole('textbox', { name: 'Subject' }).fill('Hello');
		await close(page, 'Create');
		await page.waitForURL(/templates\/[^/]+$/);
		const id = page.url().split('/').pop();
		await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{first_name|you}}');
		await page.locator('.code-field').getByRole('textbox', { name: 'HTML' }).fill('<p>Hello {{first_name|you}}</p>');
		await page.getByRole('textbox', { name: 'Sample values' }).fill('{"first_name": "Ada"}');
		await page.getByText('Hello Ada').first().waitFor();
		await page.keyboard.press('Control+s');
		await page.getByText('Not saved yet', { exact: true }).waitFor({ state: 'detached' });
		await see('a template');
		if ((await call('GET', `/v1/templates/${id}`)).subject !== 'Hello {{first_name|you}}') throw new Error('the template is not saved');
		await call('DELETE', `/v1/templates/${id}`);
	},
	async 'a broadcast'({ page, name, see, call, kept }) {
		await page.open('/broadcasts');
		await page.getByRole('button', { name: 'Write a broadcast' }).click();
		await page.waitForURL(/broadcasts\/[0-9a-f-]{36}$/);
		await page.getByRole('textbox', { name: 'Broadcast' }).fill(`News ${name}`);
		const id = page.url().split('/').pop();
		await page.getByRole('textbox', { name: 'From' }).fill(`shop@${domain}`);
		await page.getByRole('textbox', { name: 'Subject' }).fill('Hello {{first_name|you}}');
		await page.locator('.code-field').getByRole('textbox', { name: 'HTML' }).fill('<p>Hello</p><a href="{{unsubscribe_url}}">Leave</a>');
		await page.getByRole('checkbox', { name: `Readers ${name}` }).check();
		await see('a draft');
		await page.getByRole('button', { name: 'Send…' }).click();
		await dialogOf(page).getByText('2 people', { exact: true }).waitFor();
		await see('the review');
		// At a time first, which is taken back; then now.
		await dialogOf(page).getByLabel('When').selectOption('At a time');
		const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
		await dialogOf(page).getByLabel('Time', { exact: true }).fill(`${tomorrow}T09:00`);
		await close(page, 'Schedule');
		await page.getByText('Scheduled', { exact: true }).waitFor();
		const now = await call('GET', `/v1/broadcasts/${id}`);
		if (now.status !== 'scheduled' || now.subject !== 'Hello {{first_name|you}}') throw new Error(`the broadcast is ${now.status}: ${now.subject}`);
		await page.getByRole('heading', { name: 'Details' }).locator('..').getByText(`Readers ${name}`).waitFor();
		await see('one that waits');
		await page.getByRole('button', { name: 'Back to draft' }).click();
		await page.getByRole('button', { name: 'Send…' }).click();
		await dialogOf(page).getByText('2 people', { exact: true }).waitFor();
		await close(page, 'Send now');
		await dialogOf(page).waitFor({ state: 'detached' });
		for (let runs = 0; runs < 20 && (await call('GET', `/v1/broadcasts/${id}`)).status !== 'sent'; runs++) await spool();
		await page.open(`/broadcasts/${id}`);
		await page.getByText('Sent', { exact: true }).first().waitFor();
		if ((await call('GET', `/v1/broadcasts/${id}`)).counts.sent !== 2) throw new Error('the broadcast did not reach both');
		await see('figures of a broadcast');
	},
	async 'a workflow'({ page, name, see, call }) {
		await open(page, '/workflows', 'Make a workflow', see);
		await page.getByLabel('Name').fill(`Flow ${name}`);
		await close(page, 'Create');
		await page.locator('.react-flow__node[data-id="trigger_1"]').waitFor();
		await page.getByRole('button', { name: 'Go there' }).click();
		await page.getByRole('combobox', { name: 'Event', exact: true }).fill(`signed.${name}`);
		await page.getByRole('button', { name: 'Wait', exact: true }).focus();
		await page.keyboard.press('Enter');
		await page.getByText('The design has no fault.').waitFor();
		await see('a drawing');
		const canvas = await page.getByRole('group', { name: 'Drawing of the workflow' }).boundingBox();
		if (canvas.width < page.viewportSize().width * 0.4) throw new Error(`the canvas is ${canvas.width} wide`);
		await page.getByRole('button', { name: 'Activate' }).click();
		await page.getByText('The workflow is active').waitFor();
		await page.getByRole('button', { name: 'Save and go live' }).waitFor();
		const { workflows } = await call('GET', '/v1/workflows');
		await call('DELETE', `/v1/workflows/${workflows.find((one) => one.name === `Flow ${name}`).workflow_id}`);
	},
	async 'a webhook'({ page, name, see, call }) {
		await open(page, '/webhooks', 'Add a webhook', see);
		await page.getByLabel('URL').fill(`https://example.org/${name}`);
		await close(page, 'Add');
		await dialogOf(page).getByText(/whsec_/).waitFor();
		await see('a secret');
		const { webhooks } = await call('GET', '/v1/webhooks');
		await call('DELETE', `/v1/webhooks/${webhooks.find((one) => one.url === `https://example.org/${name}`).id}`);
	},
	async 'an address that gets nothing'({ page, name, see, call }) {
		await open(page, '/suppressions', 'Add an address', see);
		await dialogOf(page).getByLabel('Email address').fill(`no.${name}@jobs.example`);
		await close(page, 'Add');
		await page.getByText(`no.${name}@jobs.example`).first().waitFor();
		await call('DELETE', `/v1/suppressions/no.${name}@jobs.example`);
	},
	async 'a user, and who did what'({ page, name, see }) {
		await open(page, '/users', 'Add a user', see);
		await dialogOf(page).getByLabel('Email address').fill(`${name}@users.example`);
		await close(page, 'Add');
		await page.getByRole('row', { name: `${name}@users.example` }).waitFor();
		await page.open('/audit');
		await page.getByRole('row', { name: `${name}@users.example` }).first().waitFor();
		await page.getByRole('row', { name: `News ${name}` }).first().waitFor();
		await see('the audit');
	},
};

/** A picture of all of a page, or of what a dialog shows. */
async function picture(page, name, colours) {
	if (shots) await page.screenshot({ path: `${shots}/${name.replaceAll(/[^a-z ]/gi, '').replaceAll(' ', '-')}-${colours}.png`, fullPage: !(await dialogOf(page).count()) });
}

export default async function ({ signInByTerminal, call, fault, accessible }) {
	for (const { name, viewport, colorScheme } of sizes) {
		const page = await signInByTerminal(`you@${domain}`, { viewport, colorScheme });
		const kept = {};
		for (const [job, run] of Object.entries(jobs)) {
			const see = async (what) => {
				await accessible(page, `${job}, ${name}: ${what}`);
				await picture(page, `${job} ${name} ${what}`, colorScheme);
				await page.emulateMedia({ colorScheme: colorScheme === 'dark' ? 'light' : 'dark' });
				await accessible(page, `${job}, ${name}, the other colours: ${what}`, ['color-contrast']);
				await picture(page, `${job} ${name} ${what}`, 'other');
				await page.emulateMedia({ colorScheme });
				if (await page.evaluate(() => document.documentElement.scrollWidth > innerWidth)) fault('jobs', `${job}: ${what} is wider than the ${name} screen`);
			};
			await run({ page, name, see, call, kept }).catch((why) => fault('jobs', `${job}, ${name}: ${why.message}`));
		}
		await call('DELETE', `/v1/audiences/${kept.audience}`).catch(() => {});
		await page.context().close();
	}
}
