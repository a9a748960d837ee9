// SPDX-License-Identifier: MIT
// One change of many people, so many in a request.
import { api, taken, type Schemas } from './client';

export type BulkAction = 'add' | 'remove' | 'join' | 'leave' | 'suppress' | 'unsuppress' | 'erase';

export interface BulkChange {
	action: BulkAction;
	audience_id?: string;
	topic_id?: string;
}

export type BulkOutcome = Schemas['PeopleBulkResult'];

/** The action that takes another one back. */
export const contrary: Partial<Record<BulkAction, BulkAction>> = { add: 'remove', remove: 'add', join: 'leave', leave: 'join', suppress: 'unsuppress', unsuppress: 'suppress' };

const together = 100;

const ask = ({ action, ...target }: BulkChange, people: string[]) =>
	action === 'erase' ? taken(api.POST('/v1/people/erase', { body: { people } })) : taken(api.POST('/v1/people/bulk', { body: { action, people, ...target } }));

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

/** Changes all of them, and tells how many are done. What was changed before a failure stays so, and is in the BulkFailure that it throws. */
export async function bulkRun(change: BulkChange, emails: string[], tell: (count: number) => void): Promise<BulkOutcome> {
	const sum: BulkOutcome = { changed: 0, unchanged: 0, undo: [], failed: [] };
	for (let at = 0; at < emails.length; at += together) {
		const some = await ask(change, emails.slice(at, at + together)).catch((why: Error) => {
			throw new BulkFailure(why, at, sum);
		});
		sum.changed += some.changed;
		sum.unchanged += some.unchanged;
		sum.undo.push(...some.undo);
		sum.failed.push(...some.failed);
		tell(Math.min(at + together, emails.length));
	}
	return sum;
}
