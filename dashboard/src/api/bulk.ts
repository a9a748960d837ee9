// SPDX-License-Identifier: MIT
// One change of many people: of those who are named, so many in a request, or of all whom a list of the service has with its filters,
// page by page. A change goes to the workspace in which it began, wherever the reader goes meanwhile.
import { w } from '../words';
import { api, taken, workspaceHeader, workspaceHeld, type Schemas } from './client';

export type BulkAction = 'add' | 'remove' | 'join' | 'leave' | 'suppress' | 'unsuppress' | 'erase';

export interface BulkChange {
	action: BulkAction;
	audience_id?: string;
	topic_id?: string;
}

export type BulkOutcome = Pick<Schemas['PeopleBulkResult'], 'changed' | 'unchanged' | 'undo' | 'failed'>;

/** The action that takes another one back. */
export const contrary: Partial<Record<BulkAction, BulkAction>> = { add: 'remove', remove: 'add', join: 'leave', leave: 'join', suppress: 'unsuppress', unsuppress: 'suppress' };

const together = 100;

/** The path of a list as the service takes it; the filters are those of its GET. */
export function listPath(path: string, filters: Record<string, string | undefined>) {
	const query = new URLSearchParams(Object.entries(filters).filter((one): one is [string, string] => Boolean(one[1])));
	return query.size ? `${path}?${query}` : path;
}

const behind = (list: string, cursor: string | null) => (cursor === null ? list : `${list}${list.includes('?') ? '&' : '?'}cursor=${encodeURIComponent(cursor)}`);

/** How many rows a list has; tells how many were counted so far. */
export async function listCount(list: string, tell: (count: number) => void) {
	const held = workspaceHeld();
	let cursor: string | null = null;
	let sum = 0;
	do {
		const page: Schemas['ListCount'] = await taken(api.GET('/v1/people/count', { params: { query: { list: behind(list, cursor) } } }));
		held();
		sum += page.count;
		cursor = page.cursor;
		tell(sum);
	} while (cursor);
	return sum;
}

/** The people of a change: those who are named, or all of a list, of which there are so many. */
export type BulkPeople = { emails: string[] } | { list: string; count: number };

/** What is left of a change of a list; of one that has just begun, all of it. */
export interface BulkRest {
	change: BulkChange;
	count: number;
	/** Where it goes on; empty: it has changed nobody yet. */
	cursor: string;
	done: number;
	/** When it was remembered: it can go on for a day. */
	at: number;
}

/** Whose change it is, and where: the reader, in a workspace; `left` says that the page was left. */
export interface BulkBy {
	user: string;
	workspace: string;
	left: AbortSignal;
}

/** Where it is remembered what is left of a list with its filters: for its reader alone, in this browser. */
export const restPlace = ({ user, workspace }: BulkBy, list: string) => `bulk ${workspace} ${user} ${list}`;

const day = 86_400_000;

export function restRead(place: string): BulkRest | null {
	try {
		const rest = JSON.parse(localStorage.getItem(place) ?? 'null') as BulkRest | null;
		return rest?.cursor && Date.now() - rest.at < day ? rest : null;
	} catch {
		return null;
	}
}

/** Remembers what is left; null: nothing. Where the browser keeps nothing, the change goes on all the same. */
export function restKeep(place: string, rest: BulkRest | null) {
	try {
		if (rest) localStorage.setItem(place, JSON.stringify(rest));
		else localStorage.removeItem(place);
	} catch {
		// It cannot go on later.
	}
}

/** Remembers how far a change came, unless it was forgotten since it began: its reader has signed out, here or in another tab. */
function restGoOn(place: string, rest: BulkRest | null) {
	try {
		if (localStorage.getItem(place) !== null) restKeep(place, rest);
	} catch {
		// It cannot go on later.
	}
}

/** Forgets what is left of all lists, whoever began it. */
export function restForgetAll() {
	try {
		for (const place of Object.keys(localStorage)) if (place.startsWith('bulk ')) localStorage.removeItem(place);
	} catch {
		// There is no storage, and so nothing in it.
	}
}

function ask(workspace: string, { action, ...target }: BulkChange, people: { people: string[] } | { list: string }) {
	const headers = { [workspaceHeader]: workspace };
	return action === 'erase' ? taken(api.POST('/v1/people/erase', { headers, body: people })) : taken(api.POST('/v1/people/bulk', { headers, body: { action, ...people, ...target } }));
}

/** A failure after some of them were changed. */
export class BulkFailure extends Error {
	constructor(
		why: Error,
		/** The number of those before it, and the outcome for them. */
		readonly done: number,
		readonly outcome: BulkOutcome,
	) {
		super(why.message, { cause: why });
	}
}

function add(sum: BulkOutcome, some: BulkOutcome) {
	sum.changed += some.changed;
	sum.unchanged += some.unchanged;
	for (const email of some.undo) sum.undo.push(email);
	for (const one of some.failed) sum.failed.push(one);
	return sum;
}

const nothing = (): BulkOutcome => ({ changed: 0, unchanged: 0, undo: [], failed: [] });

async function runNamed(workspace: string, change: BulkChange, emails: string[], tell: (count: number) => void) {
	const sum = nothing();
	for (let at = 0; at < emails.length; at += together) {
		const some = await ask(workspace, change, { people: emails.slice(at, at + together) }).catch((why: Error) => {
			throw new BulkFailure(why, at, sum);
		});
		add(sum, some);
		tell(Math.min(at + together, emails.length));
	}
	return sum;
}

/** Ends early when the page was left; what is left is remembered then, as after a failure. */
async function runListed(by: BulkBy, change: BulkChange, list: string, count: number, from: BulkRest | null, tell: (count: number) => void) {
	const place = restPlace(by, list);
	const sum = nothing();
	let cursor = from?.cursor ?? null;
	let done = from?.done ?? 0;
	const rest = () => ({ change, count, cursor: cursor ?? '', done, at: Date.now() });
	const before = restRead(place);
	restKeep(place, rest());
	do {
		const some: Schemas['PeopleBulkResult'] = await ask(by.workspace, change, { list: behind(list, cursor) }).catch((why: Error) => {
			if (!cursor) restGoOn(place, before);
			throw new BulkFailure(why, done, sum);
		});
		add(sum, some);
		done += some.count ?? 0;
		cursor = some.cursor ?? null;
		restGoOn(place, cursor ? rest() : null);
		tell(done);
	} while (cursor && !by.left.aborted);
	return sum;
}

/** Does something with a list while no other tab does; fails where one does. */
const alone = async (place: string, work: () => Promise<BulkOutcome>) =>
	await navigator.locks.request(place, { ifAvailable: true }, (lock) => {
		if (!lock) throw new Error(w.bulk.running);
		return work();
	});

/** Changes all of them, and tells how many are done. What was changed before a failure stays so, and is in the BulkFailure that it throws. */
export const bulkRun = (by: BulkBy, change: BulkChange, people: BulkPeople, tell: (count: number) => void): Promise<BulkOutcome> =>
	'emails' in people ? runNamed(by.workspace, change, people.emails, tell) : alone(restPlace(by, people.list), () => runListed(by, change, people.list, people.count, null, tell));

/** Goes on with what is left of a list, which the reader has seen. */
export const bulkGoOn = (by: BulkBy, list: string, seen: BulkRest, tell: (count: number) => void) => {
	const place = restPlace(by, list);
	return alone(place, async () => {
		// Another tab may have gone on meanwhile, or left another change.
		const rest = restRead(place);
		return rest && JSON.stringify(rest.change) === JSON.stringify(seen.change) ? runListed(by, rest.change, list, rest.count, rest, tell) : nothing();
	});
};
