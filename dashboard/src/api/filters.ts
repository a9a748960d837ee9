// SPDX-License-Identifier: MIT
// Filters of a list that a user has given names; the service keeps them for this user alone.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { api, taken } from './client';

export interface SavedFilter {
	name: string;
	/** The query of the address, as in status=bounced. */
	query: string;
}

const path = (list: string) => ({ params: { path: { kind: 'filters' as const, id: list } } });

async function read(list: string): Promise<SavedFilter[]> {
	const { notes } = await taken(api.GET('/v1/session/notes'));
	if (!notes.some((note) => note.kind === 'filters' && note.id === list)) return [];
	const { data } = await taken(api.GET('/v1/session/notes/{kind}/{id}', path(list)));
	const { filters } = data as unknown as { filters?: unknown };
	return Array.isArray(filters) ? (filters as SavedFilter[]) : [];
}

export function savedFiltersUse(list: string) {
	const data = useQueryClient();
	const queryKey = ['filters', list];
	const saved = useQuery({ queryKey, staleTime: Infinity, queryFn: () => read(list) }).data ?? [];
	const store = async (filters: SavedFilter[]) => {
		await taken(api.PUT('/v1/session/notes/{kind}/{id}', { ...path(list), body: { data: { filters } as unknown as Record<string, never> } }));
		data.setQueryData(queryKey, filters);
	};
	return {
		saved,
		add: (one: SavedFilter) => store([...saved.filter(({ name }) => name !== one.name), one]),
		drop: (name: string) => store(saved.filter((one) => one.name !== name)),
	};
}
