// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, Failure, taken, type Schemas } from '../../api/client';
import { listUse, someOf, type PageOf } from '../../api/list';

export type Person = Schemas['Person'];
export type PersonRow = Schemas['PersonRow'];
export type HistoryRow = Schemas['HistoryRow'];
export type Mail = Schemas['PersonEmail'];
const at = (email: string) => ({ params: { path: { email } } });

export const peopleFilters = ['search', 'status', 'sort'] as const;
export const peopleStatuses = ['subscribed', 'unsubscribed', 'suppressed'] as const;
export type PeopleFilters = Partial<Record<(typeof peopleFilters)[number], string>>;

/** The filters as the service takes them. */
export function peopleQuery({ search, status, sort }: PeopleFilters) {
	const chosen = peopleStatuses.find((one) => one === status);
	// The order of addresses is that of all people alone.
	return { search, status: chosen, sort: sort === 'email' && !search && !chosen ? ('email' as const) : undefined };
}

export async function peoplePage(filters: PeopleFilters, cursor: string | undefined): Promise<PageOf<PersonRow>> {
	const { people, cursor: next } = await taken(api.GET('/v1/people', { params: { query: { ...peopleQuery(filters), cursor } } }));
	return { rows: people, cursor: next };
}

export const peopleUse = (filters: PeopleFilters) => listUse(['people', filters], (cursor) => someOf(cursor, (cursor) => peoplePage(filters, cursor)));

export const historyKinds = ['consent', 'email', 'event'] as const;
export type HistoryKind = (typeof historyKinds)[number];

export const historyUse = (email: string, kind: HistoryKind | undefined) =>
	listUse(['history', email, kind], async (cursor) => {
		const { history, cursor: next } = await taken(api.GET('/v1/people/{email}/history', { params: { path: { email }, query: { cursor, kind } } }));
		return { rows: history, cursor: next };
	});

export const personQuery = (email: string) => queryOptions({ queryKey: ['person', email], queryFn: () => taken(api.GET('/v1/people/{email}', at(email))) });
export const personAdd = (body: Schemas['NewPerson']) => taken(api.POST('/v1/people', { body }));
export const personChange = (email: string, body: Schemas['PersonChange']) => taken(api.PATCH('/v1/people/{email}', { ...at(email), body }));
/** Forgets a person: all that is kept of the address goes, but for a hash on the list of suppressions. */
export const personErase = (email: string) => taken(api.DELETE('/v1/people/{email}', { params: { path: { email }, query: { erase: 'true' } } }));
export const personDelete = (email: string) => taken(api.DELETE('/v1/people/{email}', at(email)));

/** The mails of a person, of any kind. */
export const mailsUse = (email: string) =>
	listUse(['person', email, 'emails'], async (cursor) => {
		const { emails, cursor: next } = await taken(api.GET('/v1/people/{email}/emails', { params: { path: { email }, query: { cursor } } }));
		return { rows: emails, cursor: next };
	});

/** The events of a person. Nothing is known of one who never had any. */
export const eventsUse = (email: string) =>
	listUse<Schemas['AutomationEvent']>(['history', email, 'events'], async (cursor) => {
		try {
			const { events, cursor: next } = await taken(api.GET('/v1/automation/contacts/{email}/events', { params: { path: { email }, query: { cursor } } }));
			return { rows: events, cursor: next };
		} catch (why) {
			if (why instanceof Failure && why.status === 404) return { rows: [], cursor: null };
			throw why;
		}
	});

export const executionStatuses = ['IN_PROGRESS', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;
export type ExecutionStatus = Schemas['ExecutionStatus'];

export const executionsUse = (email: string, status: ExecutionStatus | undefined) =>
	listUse(['person', email, 'executions', status], async (cursor) => {
		const { executions, cursor: next } = await taken(api.GET('/v1/automation/contacts/{email}/executions', { params: { path: { email }, query: { cursor, status } } }));
		return { rows: executions, cursor: next };
	});

/** Names of workflows by their ids, of the first page of them. */
export const workflowNamesQuery = queryOptions({
	queryKey: ['workflows', 'names'],
	queryFn: async () => new Map((await taken(api.GET('/v1/workflows'))).workflows.map(({ workflow_id, name }) => [workflow_id, name])),
});

/** Names of forms by their ids, of the first page of them. */
export const formNamesQuery = queryOptions({
	queryKey: ['forms', 'names'],
	queryFn: async () => new Map((await taken(api.GET('/v1/forms'))).forms.map(({ id, name }) => [id, name])),
});

export const snoozeQuery = (email: string) => queryOptions({ queryKey: ['person', email, 'snooze'], queryFn: () => taken(api.GET('/v1/people/{email}/snooze', at(email))) });
export const snoozeSet = (email: string, until: string, override: string) => taken(api.PUT('/v1/people/{email}/snooze', { ...at(email), body: { until, ...(override ? { override } : {}) } }));
export const snoozeEnd = (email: string, override: string) => taken(api.DELETE('/v1/people/{email}/snooze', { params: { path: { email }, query: override ? { override } : {} } }));

export const memberAdd = (id: string, email: string) => taken(api.POST('/v1/audiences/{id}/contacts', { params: { path: { id } }, body: { email } }));
export const suppress = (email: string, scope: 'all' | 'automation') => taken(api.POST('/v1/suppressions', { body: { email, scope } }));
export const unsuppress = (email: string, override: string) =>
	taken(api.DELETE('/v1/suppressions/{email}', { params: { path: { email }, query: override ? { override } : {} } }));
export const eventSend = (email: string, event_name: string, properties: Record<string, unknown>) =>
	taken(api.POST('/v1/events', { params: {}, body: { email, event_name, properties: properties as Record<string, never> } }));
