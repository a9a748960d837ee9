// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Suppression = Schemas['Suppression'];

export const suppressionsUse = () =>
	listUse(['suppressions'], async (cursor) => {
		const { suppressions, cursor: next } = await taken(api.GET('/v1/suppressions', { params: { query: { cursor } } }));
		return { rows: suppressions, cursor: next };
	});

export const suppressionAdd = (body: Schemas['NewSuppression']) => taken(api.POST('/v1/suppressions', { body }));
export const suppressionRemove = (email: string, override: string) =>
	taken(api.DELETE('/v1/suppressions/{email}', { params: { path: { email }, query: override ? { override } : {} } }));
