// SPDX-License-Identifier: MIT
// The things that forms offer: the first pages of each list, with ids and names.
import { queryOptions, useQuery } from '@tanstack/react-query';
import { api, taken } from './client';

export interface ChoiceRow {
	id: string;
	name: string;
}

const most = 500;

/** The rows of a list, up to `most`. */
async function first<Row>(get: (cursor: string | undefined) => Promise<{ rows: Row[]; cursor: string | null }>) {
	const rows: Row[] = [];
	let cursor: string | undefined;
	do {
		const page = await get(cursor);
		rows.push(...page.rows);
		cursor = page.cursor ?? undefined;
	} while (cursor && rows.length < most);
	return rows;
}

const lists = {
	audiences: () =>
		first(async (cursor) => {
			const page = await taken(api.GET('/v1/audiences', { params: { query: { cursor } } }));
			return { rows: page.audiences.map(choice), cursor: page.cursor };
		}),
	segments: () =>
		first(async (cursor) => {
			const page = await taken(api.GET('/v1/segments', { params: { query: { cursor } } }));
			return { rows: page.segments.map(choice), cursor: page.cursor };
		}),
	topics: () =>
		first(async (cursor) => {
			const page = await taken(api.GET('/v1/topics', { params: { query: { cursor } } }));
			return { rows: page.topics.map(choice), cursor: page.cursor };
		}),
	templates: () =>
		first(async (cursor) => {
			const page = await taken(api.GET('/v1/templates', { params: { query: { cursor } } }));
			return { rows: page.templates.map(choice), cursor: page.cursor };
		}),
	broadcasts: () =>
		first(async (cursor) => {
			const page = await taken(api.GET('/v1/broadcasts', { params: { query: { cursor } } }));
			return { rows: page.broadcasts.map(choice), cursor: page.cursor };
		}),
};

const choice = ({ id, name }: ChoiceRow): ChoiceRow => ({ id, name });

export const choicesQuery = (of: keyof typeof lists) => queryOptions({ queryKey: [of, 'choices'], queryFn: lists[of] });

/** What there is of one kind; empty until it is known. */
export const choicesUse = (of: keyof typeof lists): ChoiceRow[] => useQuery(choicesQuery(of)).data ?? [];

/** The name of one of a kind by its id, or the id where it is not known. */
export function nameUse(of: keyof typeof lists) {
	const rows = choicesUse(of);
	return (id: string) => rows.find((row) => row.id === id)?.name ?? id;
}

/** Definitions of properties. */
export const propertiesQuery = queryOptions({
	queryKey: ['properties'],
	queryFn: async () => (await taken(api.GET('/v1/properties'))).properties,
});
