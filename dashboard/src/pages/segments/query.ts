// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';
import { complete, type Group } from './rule';

export type Segment = Schemas['Segment'];
const at = (id: string) => ({ params: { path: { id } } });

/** Rules as the generated client takes them: it knows that they are an object, and no more. */
const sent = (rules: Group) => rules as unknown as Record<string, never>;

export const segmentsUse = () =>
	listUse(['segments'], async (cursor) => {
		const { segments, cursor: next } = await taken(api.GET('/v1/segments', { params: { query: { cursor } } }));
		return { rows: segments, cursor: next };
	});

/** To look for many people, and to count them, takes long: no page waits for it. */
const meta = { late: true };

export const membersUse = (id: string) =>
	listUse(
		['segment', id, 'people'],
		(cursor) =>
			// The service looks at some people at a time.
			someOf(cursor, async (cursor) => {
				const { people, cursor: next } = await taken(api.GET('/v1/segments/{id}/people', { params: { path: { id }, query: { cursor } } }));
				return { rows: people, cursor: next };
			}),
		meta,
	);

export const segmentQuery = (id: string) => queryOptions({ queryKey: ['segment', id], queryFn: () => taken(api.GET('/v1/segments/{id}', at(id))) });
export const countQuery = (id: string) => queryOptions({ queryKey: ['segment', id, 'count'], meta, queryFn: () => taken(api.GET('/v1/segments/{id}/count', at(id))) });

/** Whom these rules find, without a stored segment. */
export const previewQuery = (rules: Group) =>
	queryOptions({
		queryKey: ['segments', 'preview', rules],
		meta,
		retry: false,
		enabled: complete(rules),
		placeholderData: (before: Schemas['SegmentPreview'] | undefined) => before,
		queryFn: () => taken(api.POST('/v1/segments/preview', { body: { rules: sent(rules) } })),
	});

export const segmentAdd = (name: string, rules: Group) => taken(api.POST('/v1/segments', { body: { name, rules: sent(rules) } }));
export const segmentNow = (id: string) => taken(api.GET('/v1/segments/{id}', at(id)));
export const segmentChange = (id: string, name: string, rules: Group | undefined, headers: Record<string, string>) =>
	taken(api.PATCH('/v1/segments/{id}', { ...at(id), headers, body: { name, ...(rules ? { rules: sent(rules) } : {}) } }));
export const segmentFreeze = (id: string, name: string) => taken(api.POST('/v1/segments/{id}/freeze', { ...at(id), body: { name } }));
export const segmentDelete = (id: string) => taken(api.DELETE('/v1/segments/{id}', at(id)));
