// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type User = Schemas['User'];
export const roles = ['owner', 'member', 'viewer'] as const;

export const usersUse = () =>
	listUse(['users'], async (cursor) => {
		const { users, cursor: next } = await taken(api.GET('/v1/users', { params: { query: { cursor } } }));
		return { rows: users, cursor: next };
	});

export const userAdd = (body: Schemas['NewUser']) => taken(api.POST('/v1/users', { body }));
export const userChange = (id: string, body: Schemas['UserChange']) => taken(api.PATCH('/v1/users/{id}', { params: { path: { id } }, body }));
export const userRemove = (id: string) => taken(api.DELETE('/v1/users/{id}', { params: { path: { id } } }));
