// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Broadcast = Schemas['Broadcast'];
export type BroadcastBody = Schemas['NewBroadcast'];
export type RecipientStatus = Schemas['BroadcastRecipient']['status'];
export type Report = Schemas['BroadcastReport'];
const at = (id: string) => ({ params: { path: { id } } });

/** Whether something may happen to it by itself, and its figures change. */
export const moves = ({ status }: Pick<Broadcast, 'status'>) => ['scheduled', 'sending', 'testing'].includes(status);
const often = 3_000;
const rarely = 30_000;

export const broadcastsUse = () =>
	listUse(['broadcasts'], async (cursor) => {
		const { broadcasts, cursor: next } = await taken(api.GET('/v1/broadcasts', { params: { query: { cursor } } }));
		return { rows: broadcasts, cursor: next };
	});

export const broadcastQuery = (id: string) =>
	queryOptions({
		queryKey: ['broadcast', id],
		refetchInterval: ({ state: { data } }) => (data && moves(data) ? often : false),
		queryFn: () => taken(api.GET('/v1/broadcasts/{id}', at(id))),
	});

export const recipientsUse = (id: string, status: RecipientStatus | '') =>
	listUse(['broadcast', id, 'recipients', status], (cursor) =>
		// Of one state, the service looks at some recipients at a time.
		someOf(cursor, async (cursor) => {
			const { recipients, cursor: next } = await taken(
				api.GET('/v1/broadcasts/{id}/recipients', { params: { path: { id }, query: { cursor, ...(status ? { status } : {}) } } }),
			);
			return { rows: recipients, cursor: next };
		}),
	);

type GroupBy = 'broadcast' | 'variant' | 'link';

/** What came of a broadcast since it started: rows of itself, its variants or its links. */
export const figuresQuery = (broadcast: Broadcast, group_by: GroupBy) =>
	queryOptions({
		queryKey: ['broadcast', broadcast.id, 'figures', group_by],
		refetchInterval: moves(broadcast) ? often : rarely,
		queryFn: async () => {
			const from = new Date(broadcast.started_at ?? broadcast.created).toISOString().slice(0, 10);
			const rows: Schemas['Figures'][] = [];
			let cursor: string | undefined;
			do {
				const page = await taken(api.GET('/v1/stats', { params: { query: { group_by, from, cursor, broadcast_id: group_by === 'broadcast' ? undefined : broadcast.id } } }));
				rows.push(...page.stats.filter(({ key }) => group_by !== 'broadcast' || key === broadcast.id));
				cursor = page.cursor ?? undefined;
			} while (cursor);
			return rows;
		},
	});

export const templateHtmlQuery = (id: string | null) =>
	queryOptions({ queryKey: ['template', id], enabled: id !== null, queryFn: () => taken(api.GET('/v1/templates/{id}', at(id!))) });

export const broadcastAdd = async () => {
	const { default_sender } = await taken(api.GET('/v1/workspace'));
	return taken(api.POST('/v1/broadcasts', { body: default_sender ? { from: default_sender } : {} }));
};
export const broadcastChange = (id: string, body: BroadcastBody) => taken(api.PATCH('/v1/broadcasts/{id}', { ...at(id), body }));
export const broadcastDelete = (id: string) => taken(api.DELETE('/v1/broadcasts/{id}', at(id)));
export const broadcastSend = (id: string, body: Schemas['BroadcastTime']) => taken(api.POST('/v1/broadcasts/{id}/send', { ...at(id), body }));
export const broadcastTest = (id: string, body: Schemas['BroadcastTest']) => taken(api.POST('/v1/broadcasts/{id}/test', { ...at(id), body }));
export const broadcastCheck = (id: string, links: boolean) => taken(api.POST('/v1/broadcasts/{id}/check', { ...at(id), body: { links } }));
export const broadcastWinner = (id: string, variant: number) => taken(api.POST('/v1/broadcasts/{id}/winner', { ...at(id), body: { variant } }));
export const broadcastAct = {
	unschedule: (id: string) => taken(api.POST('/v1/broadcasts/{id}/unschedule', at(id))),
	pause: (id: string) => taken(api.POST('/v1/broadcasts/{id}/pause', at(id))),
	resume: (id: string) => taken(api.POST('/v1/broadcasts/{id}/resume', at(id))),
	cancel: (id: string) => taken(api.POST('/v1/broadcasts/{id}/cancel', at(id))),
	duplicate: (id: string) => taken(api.POST('/v1/broadcasts/{id}/duplicate', at(id))),
};
