// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, asked, taken, type Schemas } from '../../api/client';
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

/** A mail of a person, of any kind. */
export interface Mail {
	type: 'transactional' | 'automation' | 'broadcast';
	email_id: string | null;
	broadcast_id: string | null;
	workflow_id: string | null;
	subject: string | null;
	status: string | null;
	timestamp: number;
}

export const mailsUse = (email: string) =>
	listUse(['person', email, 'emails'], async (cursor) => {
		const { emails, cursor: next } = await taken(asked<{ emails: Mail[]; cursor: string | null }>('GET', `/v1/people/${encodeURIComponent(email)}/emails`, { query: { cursor } }));
		return { rows: emails, cursor: next };
	});

export const executionsUse = (email: string) =>
	listUse(['person', email, 'executions'], async (cursor) => {
		const { executions, cursor: next } = await taken(api.GET('/v1/automation/contacts/{email}/executions', { params: { path: { email }, query: { cursor } } }));
		return { rows: executions, cursor: next };
	});

/** Names of workflows by their ids, of the first page of them. */
export const workflowNamesQuery = queryOptions({
	queryKey: ['workflows', 'names'],
	queryFn: async () => new Map((await taken(api.GET('/v1/workflows'))).workflows.map(({ workflow_id, name }) => [workflow_id, name])),
});

export const memberAdd = (id: string, email: string) => taken(api.POST('/v1/audiences/{id}/contacts', { params: { path: { id } }, body: { email } }));
export const memberRemove = (id: string, contact: string) => taken(api.DELETE('/v1/audiences/{id}/contacts/{contact}', { params: { path: { id, contact } } }));
export const suppress = (email: string, scope: 'all' | 'automation') => taken(api.POST('/v1/suppressions', { body: { email, scope } }));
export const eventSend = (email: string, event_name: string, properties: Record<string, unknown>) =>
	taken(api.POST('/v1/events', { params: {}, body: { email, event_name, properties: properties as Record<string, never> } }));
