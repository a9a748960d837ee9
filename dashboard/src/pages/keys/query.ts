// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Key = Schemas['Key'];

export const keysUse = () =>
	listUse(['keys'], async (cursor) => {
		const { keys, cursor: next } = await taken(api.GET('/v1/keys', { params: { query: { cursor } } }));
		return { rows: keys, cursor: next };
	});

export const keyMake = (body: Schemas['NewKey']) => taken(api.POST('/v1/keys', { body }));
export const keyRevoke = (id: string) => taken(api.DELETE('/v1/keys/{id}', { params: { path: { id } } }));
