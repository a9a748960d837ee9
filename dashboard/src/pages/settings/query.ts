// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';

export type Workspace = Schemas['Workspace'];

export const workspaceQuery = queryOptions({ queryKey: ['workspace'], queryFn: () => taken(api.GET('/v1/workspace')) });
export const workspaceChange = (body: Schemas['WorkspaceChange']) => taken(api.PATCH('/v1/workspace', { body }));

export type Look = Schemas['Page'];
/** The looks of the page of choices. */
export const lookQuery = queryOptions({ queryKey: ['look'], queryFn: () => taken(api.GET('/v1/page')) });
export const lookChange = (body: Schemas['PageChange']) => taken(api.PATCH('/v1/page', { body }));

async function secrets() {
	const rows: Schemas['Secret'][] = [];
	let cursor: string | undefined;
	do {
		const page = await taken(api.GET('/v1/secrets', { params: { query: { cursor } } }));
		rows.push(...page.secrets);
		cursor = page.cursor ?? undefined;
	} while (cursor);
	return rows;
}
export const secretsQuery = queryOptions({ queryKey: ['secrets'], queryFn: secrets });
/** Without a value the service makes one, which its answer has this once. */
export const secretSet = (name: string, value: string) => taken(api.PUT('/v1/secrets/{name}', { params: { path: { name } }, body: value ? { value } : {} }));
export const secretDelete = (name: string) => taken(api.DELETE('/v1/secrets/{name}', { params: { path: { name } } }));
