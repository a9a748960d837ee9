// SPDX-License-Identifier: MIT
// Figures of the last days by what the emails have in common.
import { queryOptions } from '@tanstack/react-query';
import { asked, taken, type Schemas } from './client';

const day = 86_400_000;
/** The date of the first of the last days, today with them. */
export const dateSince = (days: number) => new Date((Math.floor(Date.now() / day) - days + 1) * day).toISOString().slice(0, 10);

export const statsQuery = (group_by: string, days: number) =>
	queryOptions({
		queryKey: ['stats', group_by, days],
		queryFn: async () => (await taken(asked<{ stats: Schemas['Figures'][] }>('GET', '/v1/stats', { query: { group_by, from: dateSince(days) } }))).stats,
	});
