// SPDX-License-Identifier: MIT
// Workflows: one is drawn by dragging and by key, checked in the service's words, simulated, saved and activated; an event
// comes, and its execution is seen at the node and step by step. Undo, copy and paste. A viewer draws nothing.
import { execFileSync } from 'node:child_process';
import { attack, call } from '../fill.mjs';

const { POSTHOUSE_BIN: bin, POSTHOUSE_CONFIG: config, POSTHOUSE_DOMAIN: domain } = process.env;
const label = attack.slice(0, 40);
const ada = 'ada.flow@example.net';

/** Lets the engine run what is due. */
const engine = () => execFileSync(`${bin}/posthouse-spool`, ['--config', config, '--once']);

const node = (page, id) => page.locator(`.react-flow__node[data-id="${id}"]`);
const way = (page, id) => node(page, id).locator('.react-flow__handle.source');
const nodes = (page, count) => page.until((count) => document.querySelectorAll('.react-flow__node').length === count, count);

/** Drags with the mouse in steps, as people do. */
async function drag(page, from, to) {
	const [a, b] = [await from.boundingBox(), await to.boundingBox()];
	await page.mouse.move(a.x + a.width / 2, a.y + a.height / 2);
	await page.mouse.down();
	await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2 - 8, { steps: 8 });
	await page.mouse.move(b.x + b.width / 2, b.y + b.height / 2, { steps: 4 });
	await page.mouse.up();
}

async function draw(page) {
	await page.open('/workflows');
	await page.getByRole('button', { name: 'Make a workflow' }).click();
	await page.getByLabel('Name').fill('Welcome flow');
	await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
	await node(page, 'trigger_1').waitFor();
	// The page says which node is not finished, and leads there; the service is asked when all are.
	await page.getByText('Trigger (trigger_1) is not finished: fill it in.').waitFor();
	await page.getByRole('button', { name: 'Go there' }).click();
	await page.getByRole('combobox', { name: 'Event', exact: true }).fill('signed_up');
	await page.getByLabel('Label').fill(label);
	await node(page, 'trigger_1').getByText(label).waitFor();
	await page.waitForURL(({ search }) => search === '?node=trigger_1');

	// Dragged onto the canvas, and the edge drawn.
	const canvas = page.getByRole('group', { name: 'Drawing of the workflow' });
	const box = await canvas.boundingBox();
	await page.getByRole('button', { name: 'Wait', exact: true }).dragTo(canvas, { targetPosition: { x: box.width / 2, y: box.height - 90 } });
	await node(page, 'wait_1').waitFor();
	await page.getByText('Wait (wait_1) is not finished: lead a way to it.').waitFor();
	await drag(page, way(page, 'trigger_1'), node(page, 'wait_1').locator('.react-flow__handle.target'));
	await page.getByRole('group', { name: `From ${label} to Wait` }).waitFor({ state: 'attached' });
	await page.getByText('The design has no fault.').waitFor();

	// By key: it comes behind the chosen node.
	await node(page, 'wait_1').click();
	await page.getByRole('button', { name: 'Send email' }).focus();
	await page.keyboard.press('Enter');
	await node(page, 'send_email_1').waitFor();
	await page.getByText('Send email (send_email_1) is not finished: fill it in.').waitFor();
	await page.getByLabel('Subject').fill('Hello');
	await page.getByLabel('HTML').fill('<p>Hello {{name}}</p>');
	await page.getByText('The design has no fault.').waitFor();
	// The small map has each node.
	const map = page.locator('.react-flow__minimap-node');
	await page.has(map, 3, 'the map has other nodes');
}

async function change(page) {
	// Copied with its keys, undone, made again, undone.
	await node(page, 'send_email_1').click();
	await page.keyboard.press('Control+c');
	await page.keyboard.press('Control+v');
	await nodes(page, 4);
	await page.keyboard.press('Control+z');
	await nodes(page, 3);
	await page.getByRole('button', { name: 'Redo' }).click();
	await nodes(page, 4);
	await page.getByRole('button', { name: 'Undo' }).click();
	await nodes(page, 3);
	// A node is taken out by key, and comes back.
	await node(page, 'send_email_1').click();
	await page.keyboard.press('Delete');
	await nodes(page, 2);
	await page.keyboard.press('Control+z');
	await nodes(page, 3);
	await page.getByRole('button', { name: 'Arrange' }).click();
	await page.getByRole('button', { name: 'Changes' }).click();
	await page.getByRole('dialog').getByText('"subject": "Hello"').waitFor();
	await page.keyboard.press('Escape');
	// The drawing waits for the reader while another page is open.
	await page.getByRole('link', { name: 'Executions' }).click();
	await page.getByText('No executions', { exact: true }).waitFor();
	await page.getByRole('link', { name: 'Design' }).click();
	await node(page, 'send_email_1').waitFor();
}

async function simulate(page) {
	await page.getByRole('button', { name: 'Simulate' }).click();
	await page.getByLabel('Event properties (JSON)').fill(JSON.stringify({ name: label }));
	await page.getByRole('button', { name: 'Run' }).click();
	await page.getByText('1 started, 1 completed, 0 failed, 0 waiting.').waitFor();
	await page.has(node(page, 'send_email_1').locator('.lit'), 0, 'the path is lit at once');
	await page.getByRole('button', { name: 'Next', exact: true }).click();
	await node(page, 'trigger_1').locator('.lit').waitFor();
	await page.getByRole('button', { name: 'To the end' }).click();
	await node(page, 'send_email_1').locator('.lit').waitFor();
	await page.locator('.react-flow__edge.lit').nth(1).waitFor({ state: 'attached' });
	await page.waitForURL(({ search }) => search.includes('simulate=1'));
	await page.getByRole('button', { name: 'Simulate' }).click();
}

async function run(page) {
	await page.getByRole('button', { name: 'Activate' }).click();
	await page.getByText('The workflow is active').waitFor();
	await page.getByText(/Version 2$/).waitFor();
	await call('POST', '/v1/events', { event_name: 'signed_up', email: ada, properties: { name: attack } });
	engine();
	await page.reload();
	const here = node(page, 'wait_1').getByRole('link', { name: 'Here now: 1' });
	await here.click();
	await page.waitForURL(({ pathname, search }) => pathname.endsWith('/executions') && search === '?node=wait_1');
	await page.getByRole('row', { name: ada }).getByText('Waiting').waitFor();
	await page.getByRole('link', { name: ada }).click();
	const steps = page.getByRole('list', { name: 'Steps' });
	await steps.getByText(label).waitFor();
	await steps.getByText('Wait', { exact: true }).waitFor();
	await node(page, 'wait_1').locator('.here').waitFor();
	const path = new URL(page.url()).pathname;
	await page.getByRole('button', { name: 'Cancel execution' }).click();
	await page.getByRole('dialog').getByRole('button', { name: 'Cancel execution' }).click();
	await page.getByText('Cancelled', { exact: true }).first().waitFor();
	return path.replace(/^\/dashboard\/w\/[^/]+/, '');
}

/** Two versions side by side, and how they differ in words. */
async function versions(page, execution) {
	await page.open(execution.replace(/\/executions.*/, ''));
	await page.getByRole('link', { name: 'Versions' }).click();
	const differences = page.getByRole('list', { name: 'Changes' });
	await differences.getByText('New: Send email (send_email_1)').waitFor();
	await differences.getByText('Event was nothing, and is “signed_up”.').waitFor();
	await differences.getByText('Wait (wait_1) leads to Send email (send_email_1).').waitFor();
	await page.locator('.react-flow').nth(1).locator('.changed').nth(2).waitFor();
	await page.getByLabel('Before').selectOption('2');
	await page.getByText('nothing else differs').waitFor();
	await page.waitForURL(({ search }) => search === '?before=2');
}

/** The forms of a split and of nested rules: what is written there is stored. */
async function forms(page) {
	const design = {
		nodes: [
			{ id: 'start', type: 'trigger', data: { eventName: 'went' } },
			{ id: 'parts', type: 'split', data: { weights: { a: 50, b: 50 } } },
			{ id: 'asks', type: 'condition', data: { match: 'all', rules: [{ property: 'plan', operator: 'equals', value: 'pro' }] } },
		],
		edges: [
			{ source: 'start', target: 'parts' },
			{ source: 'parts', target: 'asks', sourceHandle: 'a' },
		],
	};
	const { workflow_id: id } = await call('POST', '/v1/workflows', { name: 'Forms', design });
	await page.open(`/workflows/${id}?node=parts`);
	const sides = page.getByRole('group', { name: 'Sides' });
	await sides.getByRole('button', { name: 'Add' }).click();
	await sides.getByRole('textbox', { name: 'Side', exact: true }).nth(2).fill('rest');
	await page.keyboard.press('Tab');
	await sides.getByRole('textbox', { name: 'Share' }).nth(2).fill('20');
	await sides.getByRole('button', { name: 'Remove b' }).click();
	await page.getByLabel('“rest” leads to').waitFor();

	await node(page, 'asks').click();
	const rules = page.getByRole('group', { name: 'Yes if' });
	await rules.getByRole('button', { name: 'Add a group' }).click();
	const inner = rules.locator('.rules .rules');
	await inner.getByRole('button', { name: 'Add a rule' }).click();
	for (const [index, property, operator, value] of [[0, 'seats', 'is greater than', '10'], [1, 'note', 'contains', attack]]) {
		await inner.getByRole('textbox', { name: 'Property' }).nth(index).fill(property);
		await inner.getByRole('combobox', { name: 'Comparison' }).nth(index).selectOption(operator);
		await inner.getByRole('textbox', { name: 'Value' }).nth(index).fill(value);
	}
	await page.getByText('The design has no fault.').waitFor();
	await page.getByRole('button', { name: 'Save' }).click();
	await page.getByText(/Version 2, never active$/).waitFor();
	const { design: text } = await call('GET', `/v1/workflows/${id}`);
	const stored = JSON.parse(text).nodes;
	const got = JSON.stringify([stored.find(({ id }) => id === 'parts').data.weights, stored.find(({ id }) => id === 'asks').data.rules[1]]);
	const want = JSON.stringify([{ a: 50, rest: 20 }, { match: 'any', rules: [{ property: 'seats', operator: 'greater_than', value: 10 }, { property: 'note', operator: 'contains', value: attack }] }]);
	if (got !== want) throw new Error(`stored: ${got}`);
	await page.open('/workflows');
	await call('DELETE', `/v1/workflows/${id}`);
}

/** Goal, exits and hours are forms: what is chosen there is stored, and only a whole node is checked. */
async function endings(page) {
	const design = { nodes: [{ id: 'start', type: 'trigger', data: { eventName: 'went' } }, { id: 'wait', type: 'wait', data: { duration: 1, unit: 'days' } }], edges: [{ source: 'start', target: 'wait' }] };
	const { workflow_id: id } = await call('POST', '/v1/workflows', { name: 'Endings', design });
	await page.open(`/workflows/${id}?node=start`);
	await page.getByRole('switch', { name: 'A goal' }).click();
	await page.getByText('Trigger (start) is not finished').waitFor();
	const goal = page.getByRole('group', { name: 'Reached by one of these' });
	await goal.getByLabel('Event', { exact: true }).fill('order.paid');
	await goal.getByRole('button', { name: 'Add a condition' }).click();
	const second = goal.getByRole('group', { name: 'Condition 2' });
	await second.getByLabel('Condition', { exact: true }).selectOption('Rules hold');
	await second.getByRole('textbox', { name: 'Property' }).fill('plan');
	await second.getByRole('textbox', { name: 'Value' }).fill('pro');
	await page.getByLabel('Counts', { exact: true }).selectOption('for some time from its start, after its end too');
	await page.getByLabel('Duration').first().fill('14');
	await page.getByLabel('Once it is reached').selectOption('It goes on, and the goal is noted');
	await page.getByRole('switch', { name: 'Exits' }).click();
	await page.getByRole('group', { name: 'Ended by one of these' }).getByLabel('Event', { exact: true }).fill('cancelled');
	await page.getByLabel('Hours of mailings').selectOption('Own ones');
	const window = page.getByRole('group', { name: 'Window 1' });
	await window.getByLabel('From').fill('09:00');
	await window.getByLabel('Sun').uncheck();
	await page.getByText('The design has no fault.').waitFor();
	await page.keyboard.press('Control+s');
	await page.getByText(/Version 2, never active$/).waitFor();
	const { design: text } = await call('GET', `/v1/workflows/${id}`);
	const { goal: ends, exit, hours } = JSON.parse(text).nodes[0].data;
	const got = JSON.stringify([ends, exit, hours]);
	const want = JSON.stringify([
		{ any: [{ eventName: 'order.paid' }, { match: 'all', rules: [{ property: 'plan', operator: 'equals', value: 'pro' }] }], within: { unit: 'days', duration: 14 }, ends: false },
		[{ eventName: 'cancelled' }],
		{ windows: [{ from: '09:00', to: '20:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat'] }] },
	]);
	if (got !== want) throw new Error(`stored: ${got}`);
	// A schedule says when it comes next, once it says all.
	await page.getByRole('combobox', { name: 'Event', exact: true }).first().fill('schedule.due');
	await page.getByLabel('Times', { exact: true }).fill('0 9 * * 1');
	await page.getByLabel('Audience').selectOption({ index: 1 });
	await page.getByText(/^Next: .+ · .+ · /).waitFor();
	await page.getByRole('button', { name: 'Undo' }).click();
	await page.open('/workflows');
	await call('DELETE', `/v1/workflows/${id}`);
}

/** The body of a request is a form: its own, fields, a text, or JSON; and days of the week are chosen. */
async function bodies(page, accessible) {
	const design = {
		nodes: [
			{ id: 'start', type: 'trigger', data: { eventName: 'went' } },
			{ id: 'ask', type: 'request', data: { url: 'https://example.com/' } },
			{ id: 'rest', type: 'wait', data: { time: '09:00' } },
		],
		edges: [
			{ source: 'start', target: 'ask' },
			{ source: 'ask', target: 'rest', sourceHandle: 'ok' },
		],
	};
	const { workflow_id: id } = await call('POST', '/v1/workflows', { name: 'Bodies', design });
	const saved = async (version) => {
		await page.getByText('The design has no fault.').waitFor();
		await page.keyboard.press('Control+s');
		await page.getByText(new RegExp(`Version ${version}, never active$`)).waitFor();
		return JSON.parse((await call('GET', `/v1/workflows/${id}`)).design).nodes;
	};
	const is = (got, want) => {
		if (JSON.stringify(got) !== JSON.stringify(want)) throw new Error(`stored: ${JSON.stringify(got)}`);
	};
	await page.open(`/workflows/${id}?node=ask`);
	// A node of each type is drawn as what it is, with its ways out.
	await node(page, 'ask').getByText('Request', { exact: true }).waitFor();
	await page.has(way(page, 'ask'), 2, 'a request has other ways out');
	const body = page.getByLabel('Body', { exact: true });
	await body.selectOption('Fields');
	const fields = page.getByRole('group', { name: 'Fields of the body' });
	await fields.getByRole('button', { name: 'Add' }).click();
	await fields.getByRole('button', { name: 'Add' }).click();
	await fields.getByRole('textbox', { name: 'Field', exact: true }).nth(1).fill('total');
	await page.keyboard.press('Tab');
	await fields.getByRole('combobox', { name: 'Kind of value' }).nth(1).selectOption('Property');
	await fields.getByRole('textbox', { name: 'Taken from' }).fill('event.total');
	await fields.getByRole('combobox', { name: 'Kind of value' }).nth(2).selectOption('Number, list…');
	await fields.getByRole('textbox', { name: 'Value' }).nth(1).fill('true');
	await fields.getByRole('textbox', { name: 'Field', exact: true }).nth(2).fill('vip');
	await page.keyboard.press('Tab');
	await accessible(page, 'the fields of a body');
	is((await saved(2))[1].data.body, { email: '{{contact.email}}', total: { var: 'event.total' }, vip: true });
	await body.selectOption('JSON, as you write it');
	await page.getByLabel('JSON of the body').fill('[1, {"var": "event.total"}]');
	is((await saved(3))[1].data.body, [1, { var: 'event.total' }]);
	await body.selectOption('A text');
	await page.getByLabel('Text of the body').fill('12');
	is((await saved(4))[1].data.body, '12');
	await body.selectOption('The person, the properties and the event');
	await node(page, 'rest').click();
	await page.getByLabel('Sat').uncheck();
	const nodes = await saved(5);
	is([nodes[1].data, nodes[2].data], [{ url: 'https://example.com/' }, { time: '09:00', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sun'] }]);
	await page.open('/workflows');
	await call('DELETE', `/v1/workflows/${id}`);
}

/** Each node shows how many came, and the page of figures how far. */
async function figures(page, execution) {
	const path = execution.replace(/\/executions.*/, '');
	await page.open(path);
	await node(page, 'wait_1').getByText('1 entered').waitFor();
	await node(page, 'wait_1').getByText('1 done').waitFor();
	await page.getByRole('link', { name: 'Figures' }).click();
	await page.getByText('Reached the goal').waitFor();
	const funnel = page.getByRole('region', { name: 'How far people come' });
	await funnel.getByRole('row', { name: /^Wait .*1 100%/ }).waitFor();
	await page.getByLabel('Period').selectOption('The last 7 days');
	await page.waitForURL(({ search }) => search === '?days=7');
	await funnel.getByRole('link', { name: 'Wait' }).click();
	await page.waitForURL(({ search }) => search === '?node=wait_1');
}

/** A viewer looks at all of it, simulates, and cannot move, add or take out a node. */
async function look(signInByTerminal, execution) {
	const address = `looks@${domain}`;
	await call('POST', '/v1/users', { email: address, role: 'viewer' });
	const page = await signInByTerminal(address);
	await page.open(execution.replace(/\/executions.*/, ''));
	await node(page, 'wait_1').click();
	await page.getByLabel('Duration').waitFor();
	if (await page.getByLabel('Duration').isEnabled()) throw new Error('a viewer may write');
	await page.keyboard.press('Delete');
	await page.keyboard.press('Control+z');
	const before = await node(page, 'wait_1').boundingBox();
	await drag(page, node(page, 'wait_1'), page.getByRole('button', { name: 'Zoom in' }));
	await nodes(page, 3);
	if (Math.abs((await node(page, 'wait_1').locator('.step').boundingBox()).width - before.width) > 1) throw new Error('the canvas has changed');
	await page.getByRole('button', { name: 'Simulate' }).click();
	await page.getByRole('button', { name: 'Run' }).click();
	await page.getByText('1 started').waitFor();
	await page.context().close();
}

/** A way out for the time's end, of a node that waits without one: the form says that nobody takes it. */
async function closed(page) {
	const design = {
		nodes: [
			{ id: 't', type: 'trigger', data: { eventName: 'paid' } },
			{ id: 'w', type: 'wait_for_event', data: { eventName: 'shipped', timeout: { duration: 1, unit: 'days' } } },
			{ id: 'e', type: 'exit', data: {} },
		],
		edges: [
			{ source: 't', target: 'w' },
			{ source: 'w', target: 'e', sourceHandle: 'timeout' },
		],
	};
	const { workflow_id } = await call('POST', '/v1/workflows', { name: 'Closed', design });
	await page.open(`/workflows/${workflow_id}?node=w`);
	const says = page.getByText('Nobody takes this way: the node waits without an end.');
	await page.getByLabel('At most', { exact: true }).waitFor();
	await page.has(says, 0, 'a way that is taken is told to be closed');
	await page.getByLabel('At most', { exact: true }).selectOption('without an end');
	await says.waitFor();
	await page.getByLabel('“timeout” leads to').selectOption('');
	await says.waitFor({ state: 'detached' });
	await call('DELETE', `/v1/workflows/${workflow_id}`);
}

/** On a German page a simulation says in German what happened, and why. */
async function german(signInByTerminal) {
	const design = {
		nodes: [
			{ id: 't', type: 'trigger', data: { eventName: 'paid', reentry: 'once', exit: [{ eventName: 'refunded' }], filter: { rules: [{ property: 'event.amount', operator: 'greater_than', value: 5 }] } } },
			{ id: 'c', type: 'condition', data: { rules: [{ property: 'plan', operator: 'equals', value: 'pro' }] } },
			{ id: 'w', type: 'wait_for_event', data: { eventName: 'shipped', timeout: { duration: 1, unit: 'days' }, filter: { rules: [{ property: 'event.id', operator: 'equals', value: 7 }] } } },
			{ id: 'u', type: 'update_contact', data: { set: { seen: true } } },
			{ id: 'e', type: 'exit', data: {} },
		],
		edges: [
			{ source: 't', target: 'c' },
			{ source: 'c', target: 'w', sourceHandle: 'yes' },
			{ source: 'c', target: 'e', sourceHandle: 'no' },
			{ source: 'w', target: 'u', sourceHandle: 'event' },
			{ source: 'w', target: 'e', sourceHandle: 'timeout' },
			{ source: 'u', target: 'e' },
		],
	};
	const { workflow_id } = await call('POST', '/v1/workflows', { name: 'Auf Deutsch', design });
	const page = await signInByTerminal(`you@${domain}`, { locale: 'de-DE' });
	await page.open(`/workflows/${workflow_id}?simulate=1`);
	await page.getByLabel('Eigenschaften (JSON)', { exact: true }).fill('{"plan": "pro"}');
	const events = [['paid', '{"amount": 3}'], ['paid', '{"amount": 9}'], ['shipped', '{"id": 1}'], ['other', '{}'], ['paid', '{"amount": 9}'], ['refunded', '{}']];
	for (const [index, [name, properties]] of events.entries()) {
		if (index) await page.getByRole('button', { name: 'Ereignis hinzufügen' }).click();
		await page.getByLabel('Ereignis', { exact: true }).nth(index).fill(name);
		await page.getByLabel('Eigenschaften des Ereignisses (JSON)').nth(index).fill(properties);
	}
	await page.getByRole('button', { name: 'Los', exact: true }).click();
	await page.locator('.trace li').first().waitFor();
	await page.settled();
	const lines = await page.locator('.trace li').allInnerTexts();
	const text = lines.join('\n');
	for (const want of ['beginnt nichts: event.amount ist 3: das ist nicht größer als 5', 'beginnt Durchlauf 1', 'plan ist "pro": das ist gleich "pro"', 'auf das Ereignis shipped, bis', 'wartet bei Auf Ereignis warten (w) darauf, aber event.id ist 1: das ist nicht gleich 7', 'Nichts wartet darauf', 'eine Person kommt nur einmal hinein', 'Ausstieg von Durchlauf 1'])
		if (!text.includes(want)) throw new Error(`a simulation in German lacks: ${want}\n${text}`);
	const english = lines.find((line) => /\b(is|it|starts|nothing|waits|until|execution|came|equal|greater|missing)\b/.test(line));
	if (english) throw new Error(`a simulation in German says: ${english}`);
	await page.context().close();
	await call('DELETE', `/v1/workflows/${workflow_id}`);
}

export default async function ({ page, signInByTerminal, accessible }) {
	await draw(page);
	await change(page);
	await simulate(page);
	const execution = await run(page);
	await look(signInByTerminal, execution);
	await versions(page, execution);
	await figures(page, execution);
	await forms(page);
	await endings(page);
	await bodies(page, accessible);
	await closed(page);
	await german(signInByTerminal);
	await page.open(execution);
	page.expected.length = 0;
}
