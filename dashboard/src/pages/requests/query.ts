// SPDX-License-Identifier: MIT
import { api, taken } from '../../api/client';
import { listUse } from '../../api/list';

export const outcomes = ['refused', 'failed', 'ok'] as const;

export const requestsUse = (status: (typeof outcomes)[number] | undefined) =>
	listUse(['requests', status], async (cursor) => {
		const { requests, cursor: next } = await taken(api.GET('/v1/requests', { params: { query: { cursor, status } } }));
		return { rows: requests, cursor: next };
	});
