// SPDX-License-Identifier: MIT
// Figures of the last days by what the emails have in common.
import { queryOptions } from '@tanstack/react-query';
import { asked, taken, type Schemas } from './client';

const day = 86_400_000;
/** The date of the first of the last days, today with them. */
export const dateSince = (days: number) => new Date((Math.floor(Date.now() / day) - days + 1) * day).toISOString().slice(0, 10);

/** A page of the figures that a query of /v1/stats asks for; those of executions and of steps have other rows. */
export const figuresPage = (query: Record<string, string | undefined>) => taken(asked<{ stats: Schemas['Figures'][]; cursor: string | null }>('GET', '/v1/stats', { query }));
export const figuresGet = async (query: Record<string, string | undefined>) => (await figuresPage(query)).stats;

export const statsQuery = (group_by: string, days: number) =>
	queryOptions({ queryKey: ['stats', group_by, days], queryFn: () => figuresGet({ group_by, from: dateSince(days) }) });
