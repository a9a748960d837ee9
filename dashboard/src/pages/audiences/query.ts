// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Contact = Schemas['Contact'];
const at = (id: string) => ({ params: { path: { id } } });

export const audiencesUse = () =>
	listUse(['audiences'], async (cursor) => {
		const { audiences, cursor: next } = await taken(api.GET('/v1/audiences', { params: { query: { cursor } } }));
		return { rows: audiences, cursor: next };
	});

export const contactStatuses = ['subscribed', 'unsubscribed', 'pending'] as const;
export const contactFilters = ['search', 'status'] as const;

export const contactsUse = (id: string, { search, status }: Partial<Record<(typeof contactFilters)[number], string>>) =>
	listUse(['contacts', id, search, status], (cursor) =>
		someOf(cursor, async (cursor) => {
			const query = { cursor, search, status: contactStatuses.find((one) => one === status) };
			const { contacts, cursor: next } = await taken(api.GET('/v1/audiences/{id}/contacts', { params: { path: { id }, query } }));
			return { rows: contacts, cursor: next };
		}),
	);

export const audienceQuery = (id: string) => queryOptions({ queryKey: ['audience', id], queryFn: () => taken(api.GET('/v1/audiences/{id}', at(id))) });
export const audienceAdd = (name: string) => taken(api.POST('/v1/audiences', { body: { name } }));
export const audienceDelete = (id: string) => taken(api.DELETE('/v1/audiences/{id}', at(id)));
export const contactAdd = (id: string, body: Schemas['NewContact']) => taken(api.POST('/v1/audiences/{id}/contacts', { ...at(id), body }));
export const contactDelete = (id: string, contact: string) =>
	taken(api.DELETE('/v1/audiences/{id}/contacts/{contact}', { params: { path: { id, contact } } }));
