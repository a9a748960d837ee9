// SPDX-License-Identifier: MIT
// Demo data: a few things to look around in, all called Demo, which go again with one button. Its people have test addresses:
// nothing that is sent to them leaves the machine.
import { api, Failure, taken, type Schemas } from '../../api/client';

const name = 'Demo';
const template = 'demo-welcome';
const variable = 'demo.';
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

type Made = Partial<Record<'topic' | 'audience' | 'segment' | 'broadcast' | 'workflow', string>>;

/** Makes the things, and tells the id of each in made. */
async function fill(made: Made) {
	const { default_sender } = await taken(api.GET('/v1/workspace'));
	const topic = (made.topic = (await taken(api.POST('/v1/topics', { body: { name, description: 'Made-up mail, to look around in.' } as Schemas['NewTopic'] }))).id);
	const audience = (made.audience = (await taken(api.POST('/v1/audiences', { body: { name } }))).id);
	const rows = first.map((who, index) => ({ email: addressOf(who), first_name: who, is_subscribed: true, properties: { plan: plans[index % plans.length], city: cities[index % cities.length] } }));
	await taken(api.POST('/v1/audiences/{id}/import', { params: { path: { id: audience } }, body: { rows } as unknown as Schemas['ContactRows'] }));
	const rules = { match: 'all', rules: [{ audience, operator: 'subscribed' }, { property: 'plan', operator: 'equals', value: 'pro' }] };
	made.segment = (await taken(api.POST('/v1/segments', { body: { name, rules: rules as unknown as Record<string, never> } }))).id;
	const html = `<h1>News from {{city|here}}</h1><p>Hello {{first_name|there}}, this is a broadcast.</p>${leave}`;
	made.broadcast = (await taken(api.POST('/v1/broadcasts', { body: { name, subject: 'News, {{first_name|friend}}', html, audiences: [audience], topic_id: topic, ...(default_sender ? { from: default_sender } : {}) } }))).id;
	made.workflow = (await taken(api.POST('/v1/workflows', { body: { name, design: design(topic) } as unknown as Schemas['NewWorkflow'] }))).workflow_id;
}

/** The template keeps the ids of the others as defaults of its variables, so that they are there for every user of the workspace. */
export async function demoFill() {
	const made: Made = {};
	const html = `<h1>Welcome, {{first_name|friend}}</h1><p>Good that you are here.</p>${leave}`;
	await taken(api.POST('/v1/templates', { body: { id: template, name, subject: 'Welcome, {{first_name|friend}}', html } as Schemas['NewTemplate'] }));
	try {
		await fill(made);
	} finally {
		const variables = Object.fromEntries(Object.entries(made).map(([noun, id]) => [variable + noun, id]));
		await taken(api.PATCH('/v1/templates/{id}', { params: { path: { id: template } }, body: { variables } }));
	}
}

/** Whether there is demo data. */
export const demoIsThere = async () => (await taken(api.GET('/v1/templates'))).templates.some(({ id }) => id === template);
export const isDemoAddress = (email: string) => email.includes(mark) && email.endsWith(host);

/** Waits for a removal; what is gone already does not stop it. */
async function gone(removal: Promise<unknown>) {
	try {
		await removal;
	} catch (why) {
		if (!(why instanceof Failure && why.status === 404)) throw why;
	}
}

/** Deletes what demoFill made, in the order in which nothing names what is deleted. A thing of the user's own that is called Demo stays. */
export async function demoRemove() {
	const { variables } = await taken(api.GET('/v1/templates/{id}', { params: { path: { id: template } } }));
	const at = (noun: keyof Made) => ({ params: { path: { id: String((variables as Record<string, unknown>)[variable + noun] ?? 'none') } } });
	await gone(taken(api.DELETE('/v1/broadcasts/{id}', at('broadcast'))));
	await gone(taken(api.DELETE('/v1/workflows/{id}', at('workflow'))));
	await gone(taken(api.DELETE('/v1/segments/{id}', at('segment'))));
	await gone(taken(api.DELETE('/v1/audiences/{id}', at('audience'))));
	for (const who of first) await gone(taken(api.DELETE('/v1/people/{email}', { params: { path: { email: addressOf(who) } } })));
	await gone(taken(api.DELETE('/v1/topics/{id}', at('topic'))));
	await taken(api.DELETE('/v1/templates/{id}', { params: { path: { id: template } } }));
}
