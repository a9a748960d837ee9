// SPDX-License-Identifier: MIT
import { api, taken } from '../../api/client';
import { listUse } from '../../api/list';

export const outcomes = ['refused', 'failed', 'ok'] as const;

export const requestsUse = (result: (typeof outcomes)[number] | undefined) =>
	listUse(['requests', result], async (cursor) => {
		const { requests, cursor: next } = await taken(api.GET('/v1/requests', { params: { query: { cursor, result } } }));
		return { rows: requests, cursor: next };
	});
