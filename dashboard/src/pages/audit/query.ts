// SPDX-License-Identifier: MIT
import { useQuery } from '@tanstack/react-query';
import { api, taken } from '../../api/client';
import { listUse } from '../../api/list';

export const auditUse = (filters: { action?: string; actor?: string }) =>
	listUse(['audit', filters], async (cursor) => {
		const { audit, cursor: next } = await taken(api.GET('/v1/audit', { params: { query: { cursor, ...filters } } }));
		return { rows: audit, cursor: next };
	});

/** Those who may have changed something: users and keys, the first page of each. */
export const actorsUse = () =>
	useQuery({
		queryKey: ['audit', 'actors'],
		queryFn: async () => {
			const [{ users }, { keys }] = await Promise.all([taken(api.GET('/v1/users')), taken(api.GET('/v1/keys'))]);
			return [...users.map(({ id, email }) => ({ id, name: email })), ...keys.map(({ id, name }) => ({ id, name }))];
		},
	}).data ?? [];
