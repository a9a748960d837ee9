// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Suppression = Schemas['Suppression'];

export const suppressionsUse = (search: string | undefined) =>
	listUse(['suppressions', search], (cursor) =>
		someOf(cursor, async (cursor) => {
			const { suppressions, cursor: next } = await taken(api.GET('/v1/suppressions', { params: { query: { cursor, search } } }));
			return { rows: suppressions, cursor: next };
		}),
	);

export const suppressionAdd = (body: Schemas['NewSuppression']) => taken(api.POST('/v1/suppressions', { body }));
export const suppressionRemove = (email: string, override: string) =>
	taken(api.DELETE('/v1/suppressions/{email}', { params: { path: { email }, query: override ? { override } : {} } }));
