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
