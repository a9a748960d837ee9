// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Person = Schemas['Person'];
export type HistoryRow = Schemas['HistoryRow'];
const at = (email: string) => ({ params: { path: { email } } });

export const peopleUse = (search: string | undefined) =>
	listUse(['people', search], (cursor) =>
		someOf(cursor, async (cursor) => {
			const { people, cursor: next } = await taken(api.GET('/v1/people', { params: { query: { cursor, search } } }));
			return { rows: people, cursor: next };
		}),
	);

export const historyUse = (email: string) =>
	listUse(['history', email], async (cursor) => {
		const { history, cursor: next } = await taken(api.GET('/v1/people/{email}/history', { params: { path: { email }, query: { cursor } } }));
		return { rows: history, cursor: next };
	});

export const personQuery = (email: string) => queryOptions({ queryKey: ['person', email], queryFn: () => taken(api.GET('/v1/people/{email}', at(email))) });
export const personAdd = (body: Schemas['NewPerson']) => taken(api.POST('/v1/people', { body }));
export const personChange = (email: string, body: Schemas['PersonChange']) => taken(api.PATCH('/v1/people/{email}', { ...at(email), body }));
/** Forgets a person: all that is kept of the address goes, but for a hash on the list of suppressions. */
export const personErase = (email: string) => taken(api.DELETE('/v1/people/{email}', { params: { path: { email }, query: { erase: 'true' } } }));
export const personDelete = (email: string) => taken(api.DELETE('/v1/people/{email}', at(email)));
