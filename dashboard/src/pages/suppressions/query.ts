// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, Failure, taken, type Schemas } from '../../api/client';
import { listUse, someOf, type PageOf } from '../../api/list';

export type Suppression = Schemas['Suppression'];
export const filterNames = ['search', 'reason', 'scope', 'sort'] as const;
export const reasons = ['bounced', 'complained', 'unsubscribed', 'manual'] as const;
export const scopes = ['all', 'automation'] as const;
type Filters = Partial<Record<(typeof filterNames)[number], string>>;

/** The filters as the service takes them. */
export function suppressionsQuery({ search, reason, scope, sort }: Filters) {
	const kind = { search, reason: reasons.find((one) => one === reason), scope: scopes.find((one) => one === scope) };
	// The order of addresses is that of the whole list alone.
	return { ...kind, sort: sort === 'email' && !Object.values(kind).some(Boolean) ? ('email' as const) : undefined };
}

export async function suppressionsPage(filters: Filters, cursor: string | undefined): Promise<PageOf<Suppression>> {
	const { suppressions, cursor: next } = await taken(api.GET('/v1/suppressions', { params: { query: { ...suppressionsQuery(filters), cursor } } }));
	return { rows: suppressions, cursor: next };
}

export const suppressionsUse = (filters: Filters) => listUse(['suppressions', filters], (cursor) => someOf(cursor, (cursor) => suppressionsPage(filters, cursor)));

/** The entry of one address, also one that is known by a hash alone; null: there is none. */
export const suppressionQuery = (email: string) =>
	queryOptions({
		queryKey: ['suppressions', 'of', email],
		retry: false,
		queryFn: async () => {
			try {
				return await taken(api.GET('/v1/suppressions/{email}', { params: { path: { email } } }));
			} catch (why) {
				if (why instanceof Failure && why.status === 404) return null;
				throw why;
			}
		},
	});

export const suppressionAdd = (body: Schemas['NewSuppression']) => taken(api.POST('/v1/suppressions', { body }));
export const suppressionRemove = (email: string, override: string) =>
	taken(api.DELETE('/v1/suppressions/{email}', { params: { path: { email }, query: override ? { override } : {} } }));
