// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Email = Schemas['Email'];
export type EventStatus = Schemas['EventStatus'];
export const statuses = ['sent', 'delivered', 'delayed', 'bounced', 'failed', 'suppressed', 'opened', 'clicked', 'complained', 'unsubscribed'] as const;
export const filterNames = ['status', 'to', 'from', 'tag', 'type', 'since', 'until'] as const;
export const mailKinds = ['transactional', 'automation'] as const;
type Kind = (typeof mailKinds)[number];
const enough = 20;
export type Filters = Partial<Record<(typeof filterNames)[number], string>>;

export const emailsUse = (filters: Filters) =>
	listUse(['emails', filters], async (cursor) => {
		const rows: Schemas['EmailRow'][] = [];
		// With a kind, the service looks at some emails at a time: a page may be short, or empty, and not the last one.
		do {
			const query = { ...filters, status: filters.status as EventStatus | undefined, type: filters.type as Kind | undefined, cursor };
			const page = await taken(api.GET('/v1/emails', { params: { query } }));
			rows.push(...page.emails);
			cursor = page.cursor ?? undefined;
		} while (cursor && rows.length < enough);
		return { rows, cursor: cursor ?? null };
	});

export const emailQuery = (id: string) =>
	queryOptions({
		queryKey: ['email', id],
		queryFn: () => taken(api.GET('/v1/emails/{id}', { params: { path: { id } } })),
		refetchInterval: 15_000,
	});

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
