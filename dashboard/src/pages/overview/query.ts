// SPDX-License-Identifier: MIT
// What the overview asks: figures by day, and what may need a hand.
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';

export type Figures = Schemas['Figures'];
export const shown = ['sent', 'delivered', 'opened', 'bounced', 'complained'] as const;
const refetchInterval = 30_000;

export const figuresQuery = queryOptions({
	queryKey: ['stats', 'day'],
	refetchInterval,
	queryFn: async () => thirtyDays((await taken(api.GET('/v1/stats', { params: { query: { group_by: 'day' } } }))).stats),
});

const day = 86_400_000;

/** A row for each of the last 30 days, today last; days without an email have zeros. */
function thirtyDays(rows: Figures[]): { day: number; figures: Record<(typeof shown)[number], number> }[] {
	const known = new Map(rows.map((row) => [row.key ?? row.day, row]));
	const today = Math.floor(Date.now() / day) * day;
	return Array.from({ length: 30 }, (_, index) => {
		const at = today - (29 - index) * day;
		const row = known.get(new Date(at).toISOString().slice(0, 10));
		return { day: at, figures: Object.fromEntries(shown.map((name) => [name, row?.[name] ?? 0])) as Record<(typeof shown)[number], number> };
	});
}

export const waitingQuery = queryOptions({ queryKey: ['waiting'], refetchInterval, queryFn: () => taken(api.GET('/v1/waiting')) });
export type Waits = Awaited<ReturnType<NonNullable<typeof waitingQuery.queryFn>>>;

export const webhooksQuery = queryOptions({
	queryKey: ['webhooks', 'first'],
	refetchInterval,
	queryFn: async () => (await taken(api.GET('/v1/webhooks'))).webhooks,
});
