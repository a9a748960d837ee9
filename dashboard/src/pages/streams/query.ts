// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { asked, taken } from '../../api/client';
import { statsQuery } from '../../api/stats';

export interface Stream {
	name: 'transactional' | 'automation' | 'broadcast';
	paused: boolean;
	per_hour: number;
	reason: string | null;
	changed: number | null;
	waiting: number;
}

export const streamsQuery = queryOptions({ queryKey: ['streams'], refetchInterval: 30_000, queryFn: async () => (await taken(asked<{ streams: Stream[] }>('GET', '/v1/streams'))).streams });
export const streamChange = (name: string, body: Partial<Pick<Stream, 'paused' | 'per_hour' | 'reason'>>) => taken(asked<Stream>('PATCH', `/v1/streams/${name}`, { body }));
/** The figures of the streams in the last 30 days. */
export const figuresQuery = statsQuery('stream', 30);
