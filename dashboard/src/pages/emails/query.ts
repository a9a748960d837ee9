// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, Failure, taken, type Schemas } from '../../api/client';
import { listUse, someOf, type PageOf } from '../../api/list';

export type Email = Schemas['Email'];
export type EventStatus = Schemas['EventStatus'];
export const statuses = ['sent', 'delivered', 'delayed', 'bounced', 'failed', 'suppressed', 'opened', 'clicked', 'replied', 'complained', 'unsubscribed'] as const;
export const filterNames = ['search', 'status', 'to', 'from', 'tag', 'type', 'since', 'until'] as const;
export const mailKinds = ['transactional', 'automation'] as const;
type Kind = (typeof mailKinds)[number];
export type Filters = Partial<Record<(typeof filterNames)[number], string>>;

export type EmailRow = Schemas['EmailRow'];

export async function emailsPage(filters: Filters, cursor: string | undefined): Promise<PageOf<EmailRow>> {
	const query = { ...filters, status: filters.status as EventStatus | undefined, type: filters.type as Kind | undefined, cursor };
	const { emails, cursor: next } = await taken(api.GET('/v1/emails', { params: { query } }));
	return { rows: emails, cursor: next };
}

/** With a kind or a search, the service looks at some emails at a time. */
export const emailsUse = (filters: Filters) => listUse(['emails', filters], (cursor) => someOf(cursor, (cursor) => emailsPage(filters, cursor)));

export const emailQuery = (id: string) =>
	queryOptions({
		queryKey: ['email', id],
		queryFn: () => taken(api.GET('/v1/emails/{id}', { params: { path: { id } } })),
		refetchInterval: 15_000,
	});

/** As many events of a recipient as an email shows by itself. */
const shown = 100;

/** All events of a recipient, newest first; at once so many that they are more than the email shows by itself. */
export const eventsUse = (id: string, recipient: string) =>
	listUse(
		['email', id, 'events', recipient],
		async (cursor) => {
			const rows: Schemas['EmailEvent'][] = [];
			let next = cursor;
			do {
				const page = await taken(api.GET('/v1/emails/{id}/events', { params: { path: { id }, query: { cursor: next, recipient } } }));
				rows.push(...page.events);
				next = page.cursor ?? undefined;
			} while (next && rows.length <= shown);
			return { rows, cursor: next ?? null };
		},
		{ again: () => 15_000 },
	);

/** The message as it leaves: that of a recipient; without one, that of the first. */
export const messageQuery = (id: string, recipient: string) =>
	queryOptions({
		queryKey: ['email', id, 'message', recipient],
		staleTime: 60_000,
		retry: false,
		queryFn: async () => {
			try {
				return await taken(api.GET('/v1/emails/{id}/message', { params: { path: { id }, query: recipient ? { recipient } : {} } }));
			} catch (why) {
				if (why instanceof Failure && why.status === 404) return null;
				throw why;
			}
		},
	});
export type Message = Schemas['EmailMessage'];

/** What of an email has not left, and why. */
export const emailWaitingQuery = (id: string) =>
	queryOptions({
		queryKey: ['email', id, 'waiting'],
		queryFn: async () => (await taken(api.GET('/v1/emails/{id}/waiting', { params: { path: { id } } }))).waiting,
		refetchInterval: 15_000,
	});
export type Waits = Schemas['EmailWaiting'];

export const emailRelease = (id: string) => taken(api.POST('/v1/emails/{id}/release', { params: { path: { id } } }));
export const emailCancel = (id: string) => taken(api.DELETE('/v1/emails/{id}', { params: { path: { id } } }));
export const emailSendNow = (id: string) =>
	taken(api.PATCH('/v1/emails/{id}', { params: { path: { id } }, body: { scheduled_at: Date.now() } }));

/** The same content to the same recipients, as a new email. */
export const emailSendAgain = ({ from, to, cc, bcc, reply_to, subject, html, text, tags }: Email) =>
	taken(
		api.POST('/v1/emails', {
			params: {},
			body: { from, to, cc, bcc, reply_to, subject, tags, ...(html ? { html } : {}), ...(text ? { text } : {}) },
		}),
	);
