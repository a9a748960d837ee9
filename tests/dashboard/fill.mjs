// SPDX-License-Identifier: MIT
// What the workspace has before the pages are opened: some of everything, with what a stranger would try in every text.
import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { request } from 'node:http';

export const attack = `<img src=x onerror="window.hurt=1"><script>window.hurt=1</script>"'{{x}}`;

/** Calls the service with the key of the instance, over a connection of its own: the web server may close a kept one at any time. */
export async function call(method, path, body, type = 'application/json') {
	const headers = { Authorization: `Bearer ${process.env.POSTHOUSE_KEY}`, 'Content-Type': type };
	const sent = request(process.env.POSTHOUSE_URL + path, { method, headers, agent: false });
	sent.end(body === undefined || typeof body === 'string' ? body : JSON.stringify(body));
	const [answer] = await once(sent, 'response');
	const text = (await answer.setEncoding('utf8').toArray()).join('');
	if (answer.statusCode >= 300) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
	return JSON.parse(text);
}

/** Runs the terminal's program, and returns what it prints. */
export const terminal = (args, input) => execFileSync(`${process.env.POSTHOUSE_BIN}/posthouse`, ['--config', process.env.POSTHOUSE_CONFIG, ...args], { input, encoding: 'utf8' });

/** A mail with all that a stranger may write comes in; its id. */
function receive(domain, number) {
	const html = `<p>Hello ${attack}</p><img src="https://example.com/a.png">`;
	const part = (type, body, more = '') => `--x\r\nContent-Type: ${type}\r\n${more}\r\n${body}\r\n`;
	const parts = part('text/plain', `It works.\r\n\r\nOn Monday, Shop wrote:\r\n> ${attack}`) + part('text/html', html) + part('text/csv', 'a,b', `Content-Disposition: attachment; filename="list.csv"\r\n`);
	const mail = `From: ${JSON.stringify(attack)} <ann@example.net>\r\nTo: desk@${domain}\r\nSubject: Re: ${attack}\r\nMessage-ID: <${number}@example.net>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=x\r\n\r\n${parts}--x--\r\n`;
	return /[0-9a-f-]{36}/.exec(terminal(['--json', 'receive', '--recipient', `desk@${domain}`, '--sender', 'ann@example.net'], mail))[0];
}

/** A workflow with a branch, as the terminal would write it: without places and ids of edges. */
const flow = {
	nodes: [
		{ id: 'cart', type: 'trigger', data: { eventName: 'cart.left', label: attack } },
		{ id: 'rich', type: 'condition', data: { match: 'all', rules: [{ property: 'note', operator: 'contains', value: attack }] } },
		{ id: 'wait', type: 'wait', data: { duration: 1, unit: 'days' } },
		{ id: 'mail', type: 'send_email', data: { subject: 'Your cart', html: '<p>Hello</p>' } },
	],
	edges: [
		{ source: 'cart', target: 'rich' },
		{ source: 'rich', target: 'wait', sourceHandle: 'yes' },
		{ source: 'wait', target: 'mail' },
	],
};

export async function fill() {
	const from = `Shop <shop@${process.env.POSTHOUSE_DOMAIN}>`;
	const html = `<style>p { color: #333 }</style><p style="margin: 4px">Hello ${attack} <a href="https://example.com/">link</a></p><img src="https://example.com/a.png">`;
	const email = (to, more) => call('POST', '/v1/emails', { from, to, subject: 'Your order', html, text: `Hello ${attack}`, ...more });
	const made = {};
	made.email = (await email('delivered@test.posthouse.invalid', { subject: attack.replaceAll('{{x}}', ''), tags: { kind: 'order' } })).id;
	made.bounced = (await email('bounced@test.posthouse.invalid')).id;
	await email('delayed@test.posthouse.invalid');
	await email('complained@test.posthouse.invalid');
	made.scheduled = (await email('later@example.net', { scheduled_at: Date.now() + 86_400_000 })).id;
	made.domain = (await call('POST', '/v1/domains', { name: 'new.example' })).id;
	await call('POST', '/v1/suppressions', { email: 'left@example.net' });
	made.audience = (await call('POST', '/v1/audiences', { name: attack })).id;
	await call('POST', `/v1/audiences/${made.audience}/contacts`, { email: 'ada@example.net', first_name: attack, last_name: attack });
	await call('POST', '/v1/events', { event_name: 'order.placed', email: 'ada@example.net', properties: { note: attack } });
	made.topic = (await call('POST', '/v1/topics', { name: attack, description: attack })).id;
	made.segment = (await call('POST', '/v1/segments', { name: attack, rules: { match: 'all', rules: [] } })).id;
	made.template = (await call('POST', '/v1/templates', { id: 'welcome-text', name: attack, subject: 'Hello {{name}}', html: '<p>Hello {{name}}</p>' })).id;
	const news = { name: attack, from, subject: 'Hello', html: `${html}<a href="{{unsubscribe_url}}">Leave</a>`.replace('{{x}}', ''), audiences: [made.audience], segments: [made.segment] };
	made.broadcast = (await call('POST', '/v1/broadcasts', news)).id;
	made.webhook = (await call('POST', '/v1/webhooks', { url: 'https://example.com/hook', events: ['*'], description: attack })).id;
	made.workflow = (await call('POST', '/v1/workflows', { name: 'Reminder', status: 'active', design: flow })).workflow_id;
	await call('POST', '/v1/events', { event_name: 'cart.left', email: 'ada@example.net', properties: { note: attack } });
	made.execution = (await call('GET', `/v1/workflows/${made.workflow}/executions`)).executions[0].execution_id;
	const later = { ...flow, nodes: flow.nodes.map((node) => (node.id === 'wait' ? { ...node, data: { duration: 2, unit: 'days', label: attack } } : node)) };
	await call('PATCH', `/v1/workflows/${made.workflow}`, { design: later });
	const file = `--x\r\nContent-Disposition: form-data; name="file"; filename="people.csv"\r\n\r\nemail,${JSON.stringify(attack).replaceAll('\\"', '""')}\nimported@example.net,1\n\r\n--x--\r\n`;
	made.import = (await call('POST', '/v1/imports', file, 'multipart/form-data; boundary=x')).id;
	made.receiving = (await call('POST', '/v1/domains', { name: 'desk.example' })).id;
	terminal(['domain', 'trust', 'desk.example']);
	terminal(['domain', 'receiving', 'desk.example', 'on', '--override']);
	made.received = receive('desk.example', 1);
	receive('desk.example', 2);
	made.key = (await call('POST', '/v1/keys', { name: attack, scope: 'read' })).id;
	return made;
}

/** The paths of the pages that the navigation does not show. */
export function singlesOf(made) {
	const flow = `/workflows/${made.workflow}`;
	return [
		`/emails/${made.email}`, `/domains/${made.domain}`, `/domains/${made.receiving}`, `/domains/${made.receiving}/dmarc`, `/received/${made.received}`, `/webhooks/${made.webhook}`, '/people/ada%40example.net', `/audiences/${made.audience}`,
		`/templates/${made.template}`, `/segments/${made.segment}`, `/broadcasts/${made.broadcast}`, '/people/import', `/people/import/${made.import}`, '/segments/new',
		flow, `${flow}?simulate=1`, `${flow}?node=rich`, `${flow}/executions`, `${flow}/executions/${made.execution}`, `${flow}/figures`, `${flow}/starts`, `${flow}/emails`, `${flow}/versions`,
		...['dashboard', 'templates', 'broadcasts', 'workflow', 'relays'].map((name) => `/help/${name}`),
	];
}
