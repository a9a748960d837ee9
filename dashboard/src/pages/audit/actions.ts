// SPDX-License-Identifier: MIT
// The actions that the audit has, in words. tests/dashboard/words.sh holds them against those of the operations.
import { w } from '../../words';

const usual = ['created', 'changed', 'deleted'];
const verbs: Record<string, string[]> = {
	audience: usual,
	broadcast: [...usual, 'restored', 'scheduled', 'unscheduled', 'sent', 'paused', 'resumed', 'cancelled'],
	contact: usual,
	delivery: ['changed'],
	domain: usual,
	email: ['changed'],
	execution: ['changed'],
	form: usual,
	import: ['created'],
	key: ['created', 'deleted'],
	page: ['changed'],
	person: usual,
	property: usual,
	received: ['deleted'],
	route: usual,
	secret: ['changed', 'deleted'],
	segment: usual,
	sending: ['changed'],
	session: ['created', 'changed', 'ended', 'refused'],
	start: ['created', 'changed'],
	stream: ['changed'],
	suppression: ['created', 'deleted'],
	template: [...usual, 'restored'],
	topic: usual,
	user: ['added', 'changed', 'removed'],
	webhook: usual,
	workflow: [...usual, 'restored'],
	workspace: ['changed'],
};

export const actions = Object.entries(verbs).flatMap(([type, all]) => all.map((verb) => `${type}.${verb}`));

const known = (words: object, name: string) => (words as Record<string, string | undefined>)[name];

/** What was done, in a word. */
export const didText = (action: string) => known(w.audit.did, action) ?? known(w.audit.did, action.replace(/^.*\./, '')) ?? '';

/** What was done to a thing of which kind. */
export const actionName = (action: string) => {
	const type = known(w.audit.types, action.replace(/\..*$/, ''));
	return type && didText(action) ? `${type}: ${didText(action)}` : action;
};
