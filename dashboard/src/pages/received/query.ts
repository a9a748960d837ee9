// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Row = Schemas['ReceivedRow'];
export type Mail = Schemas['ReceivedMail'];
export type Attachment = Schemas['ReceivedAttachment'];
export const filterNames = ['from', 'to', 'automatic', 'since', 'until'] as const;
const automatics = ['true', 'false'] as const;
export type Filters = Partial<Record<(typeof filterNames)[number], string>>;
const at = (id: string) => ({ params: { path: { id } } });

export const receivedUse = (filters: Filters) =>
	listUse(['received', filters], (cursor) =>
		someOf(cursor, async (cursor) => {
			const query = { ...filters, automatic: automatics.find((one) => one === filters.automatic), cursor };
			const { received, cursor: next } = await taken(api.GET('/v1/received', { params: { query } }));
			return { rows: received, cursor: next };
		}),
	);

export const mailQuery = (id: string) => queryOptions({ queryKey: ['received-mail', id], queryFn: () => taken(api.GET('/v1/received/{id}', at(id))) });
export const rawQuery = (id: string) =>
	queryOptions({ queryKey: ['received-mail', id, 'raw'], staleTime: Infinity, queryFn: () => taken(api.GET('/v1/received/{id}/raw', { ...at(id), parseAs: 'text' })) });
/** A link to an attachment that is good for an hour: the one that was read with the mail may have ended. */
export const attachmentLink = async (id: string, attachment: string) =>
	(await taken(api.GET('/v1/received/{id}/attachments/{attachment}', { params: { path: { id, attachment } } }))).download_url;
export const mailForward = (id: string, to: string[], from: string) =>
	taken(api.POST('/v1/received/{id}/forward', { ...at(id), body: { to, ...(from ? { from } : {}) } }));
export const mailDelete = (id: string) => taken(api.DELETE('/v1/received/{id}', at(id)));
