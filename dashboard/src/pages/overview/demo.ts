// SPDX-License-Identifier: MIT
// Demo data: a few things to look around in, all called Demo, which go again with one button. Its people have test addresses:
// nothing that is sent to them leaves the machine.
import { api, taken, type Schemas } from '../../api/client';

const name = 'Demo';
const template = 'demo-welcome';
const mark = '+demo-';
const host = '@test.posthouse.invalid';
const first = ['Ada', 'Alan', 'Barbara', 'Carl', 'Donald', 'Edsger', 'Emmy', 'Frances', 'Grace', 'Hedy', 'John', 'Karen'];
const cities = ['Berlin', 'Paris', 'London'];
const plans = ['free', 'pro'];
const addressOf = (who: string) => `delivered${mark}${who.toLowerCase()}${host}`;

const leave = '<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>';
const design = (topicId: string) => ({
	nodes: [
		{ id: 'signed_up', type: 'trigger', position: { x: 0, y: 0 }, data: { eventName: 'demo.signed_up' } },
		{ id: 'welcome', type: 'send_email', position: { x: 0, y: 150 }, data: { templateId: template, topicId } },
		{ id: 'wait', type: 'wait', position: { x: 0, y: 300 }, data: { duration: 3, unit: 'days' } },
		{ id: 'pro', type: 'condition', position: { x: 0, y: 450 }, data: { match: 'all', rules: [{ property: 'plan', operator: 'equals', value: 'pro' }] } },
		{ id: 'offer', type: 'send_email', position: { x: 130, y: 600 }, data: { subject: 'More with Pro', html: `<p>Hello {{first_name|there}}, have a look at Pro.</p>${leave}`, topicId } },
	],
	edges: [
		{ id: 'e1', source: 'signed_up', target: 'welcome' },
		{ id: 'e2', source: 'welcome', target: 'wait' },
		{ id: 'e3', source: 'wait', target: 'pro' },
		{ id: 'e4', source: 'pro', target: 'offer', sourceHandle: 'no' },
	],
});

export async function demoFill() {
	const { default_sender } = await taken(api.GET('/v1/workspace'));
	const topic = await taken(api.POST('/v1/topics', { body: { name, description: 'Made-up mail, to look around in.' } as Schemas['NewTopic'] }));
	const audience = await taken(api.POST('/v1/audiences', { body: { name } }));
	const rows = first.map((who, index) => ({ email: addressOf(who), first_name: who, is_subscribed: true, properties: { plan: plans[index % plans.length], city: cities[index % cities.length] } }));
	await taken(api.POST('/v1/audiences/{id}/import', { params: { path: { id: audience.id } }, body: { rows } as unknown as Schemas['ContactRows'] }));
	const rules = { match: 'all', rules: [{ audience: audience.id, operator: 'subscribed' }, { property: 'plan', operator: 'equals', value: 'pro' }] };
	await taken(api.POST('/v1/segments', { body: { name, rules: rules as unknown as Record<string, never> } }));
	await taken(api.POST('/v1/templates', { body: { id: template, name, subject: 'Welcome, {{first_name|friend}}', html: `<h1>Welcome, {{first_name|friend}}</h1><p>Good that you are here.</p>${leave}` } as Schemas['NewTemplate'] }));
	const html = `<h1>News from {{city|here}}</h1><p>Hello {{first_name|there}}, this is a broadcast.</p>${leave}`;
	await taken(api.POST('/v1/broadcasts', { body: { name, subject: 'News, {{first_name|friend}}', html, audiences: [audience.id], topic_id: topic.id, ...(default_sender ? { from: default_sender } : {}) } }));
	await taken(api.POST('/v1/workflows', { body: { name, design: design(topic.id) } as unknown as Schemas['NewWorkflow'] }));
}

/** Whether there is demo data. */
export const demoIsThere = async () => (await taken(api.GET('/v1/templates'))).templates.some(({ id }) => id === template);
export const isDemoAddress = (email: string) => email.includes(mark) && email.endsWith(host);

/** Deletes all that is called Demo, in the order in which nothing names what is deleted. What is gone already does not stop it. */
export async function demoRemove() {
	const called = <Row extends { name: string }>(rows: Row[]) => rows.filter((row) => row.name === name);
	const [{ broadcasts }, { workflows }, { segments }, { audiences }, { topics }] = await Promise.all([
		taken(api.GET('/v1/broadcasts')), taken(api.GET('/v1/workflows')), taken(api.GET('/v1/segments')), taken(api.GET('/v1/audiences')), taken(api.GET('/v1/topics')),
	]);
	const at = (id: string) => ({ params: { path: { id } } });
	for (const { id } of called(broadcasts)) await taken(api.DELETE('/v1/broadcasts/{id}', at(id)));
	for (const { workflow_id } of called(workflows)) await taken(api.DELETE('/v1/workflows/{id}', at(workflow_id)));
	for (const { id } of called(segments)) await taken(api.DELETE('/v1/segments/{id}', at(id)));
	for (const { id } of called(audiences)) {
		const { contacts } = await taken(api.GET('/v1/audiences/{id}/contacts', at(id)));
		await taken(api.DELETE('/v1/audiences/{id}', at(id)));
		for (const { email } of contacts) if (isDemoAddress(email)) await taken(api.DELETE('/v1/people/{email}', { params: { path: { email } } }));
	}
	for (const { id } of called(topics)) await taken(api.DELETE('/v1/topics/{id}', at(id)));
	await taken(api.DELETE('/v1/templates/{id}', at(template)));
}
