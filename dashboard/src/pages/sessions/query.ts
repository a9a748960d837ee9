// SPDX-License-Identifier: MIT
import { api, taken } from '../../api/client';
import { listUse } from '../../api/list';

export const sessionsUse = () =>
	listUse(['sessions'], async (cursor) => {
		const { sessions, cursor: next } = await taken(api.GET('/v1/sessions', { params: { query: { cursor } } }));
		return { rows: sessions, cursor: next };
	});

export const sessionEnd = (id: string) => taken(api.DELETE('/v1/sessions/{id}', { params: { path: { id } } }));
