// SPDX-License-Identifier: MIT
// Figures of the last days by what the emails, executions or steps have in common.
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from './client';
import type { paths } from './schema';

export type FiguresQuery = NonNullable<paths['/v1/stats']['get']['parameters']['query']>;
type Group = NonNullable<FiguresQuery['group_by']>;
/** The rows of a group: those of executions and of steps have figures of their own. */
type RowOf<G extends Group | undefined> = G extends 'execution' | 'execution,day' ? Schemas['RunFigures'] : G extends 'step' | 'step,day' ? Schemas['StepFigures'] : Schemas['Figures'];

const day = 86_400_000;
/** The date of the first of the last days, today with them. */
export const dateSince = (days: number) => new Date((Math.floor(Date.now() / day) - days + 1) * day).toISOString().slice(0, 10);

/** A page of the figures that a query of /v1/stats asks for. */
export async function figuresPage<Q extends FiguresQuery>(query: Q) {
	const { stats, cursor } = await taken(api.GET('/v1/stats', { params: { query } }));
	return { stats: stats as RowOf<Q['group_by']>[], cursor };
}

/** Rows of the figures, up to `most` pages. */
export async function figuresGet<Q extends FiguresQuery>(query: Q, most = 1) {
	const rows: RowOf<Q['group_by']>[] = [];
	let cursor: string | undefined;
	do {
		const page = await figuresPage({ ...query, cursor });
		rows.push(...(page.stats as RowOf<Q['group_by']>[]));
		cursor = page.cursor ?? undefined;
	} while (cursor && --most > 0);
	return rows;
}

export const statsQuery = <G extends Group>(group_by: G, days: number) =>
	queryOptions({ queryKey: ['stats', group_by, days], queryFn: () => figuresGet({ group_by, from: dateSince(days) }) });
