// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { statsQuery } from '../../api/stats';

export type Stream = Schemas['Stream'];

export const streamsQuery = queryOptions({ queryKey: ['streams'], refetchInterval: 30_000, queryFn: async () => (await taken(api.GET('/v1/streams'))).streams });
export const streamChange = (name: Stream['name'], body: Schemas['StreamChange']) => taken(api.PATCH('/v1/streams/{name}', { params: { path: { name } }, body }));
/** The figures of the streams in the last 30 days. */
export const figuresQuery = statsQuery('stream', 30);
export type Figures = Awaited<ReturnType<NonNullable<typeof figuresQuery.queryFn>>>[0];
