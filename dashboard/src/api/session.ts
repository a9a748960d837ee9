// SPDX-License-Identifier: MIT
// Who reads: the session, its workspace and role.
import { queryOptions, useSuspenseQuery } from '@tanstack/react-query';
import { anyWorkspace, api, csrfSet, taken, type Schemas } from './client';

export type Session = Schemas['Session'];

export const sessionQuery = queryOptions({
	queryKey: ['session'],
	staleTime: Infinity,
	retry: false,
	queryFn: () => sessionNow(),
});

export const sessionNow = async () => sessionKeep(await taken(api.GET('/v1/session')));

/** The session as it is without a workspace: it tells in which workspaces the reader is. */
export const sessionAny = async () => sessionKeep(await taken(api.GET('/v1/session', { headers: { [anyWorkspace]: '1' } })));

export function sessionKeep(session: Session) {
	csrfSet(session.csrf);
	return session;
}

export const sessionUse = () => useSuspenseQuery(sessionQuery).data;

/** Whether the reader may change what the workspace has; a viewer may not. */
export const mayChangeUse = () => sessionUse().role !== 'viewer';
export const isOwnerUse = () => sessionUse().role === 'owner';

export const linkAsk = (email: string) => taken(api.POST('/v1/session/link', { body: { email } }));
export const signIn = async (token: string) => sessionKeep(await taken(api.POST('/v1/session', { body: { token } })));
export const signOut = () => taken(api.DELETE('/v1/session'));
export const workspaceSwitch = (workspace_id: string) => taken(api.PATCH('/v1/session', { body: { workspace_id } }));
export const invitationAnswer = async ({ workspace, accept }: { workspace: string; accept: boolean }) =>
	sessionKeep(await taken(api.POST('/v1/session/invitations/{workspace}', { params: { path: { workspace } }, body: { accept } })));
