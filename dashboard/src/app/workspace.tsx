// SPDX-License-Identifier: MIT
// The workspace of a page stands in its address: tabs of several workspaces work side by side. Each has its own data, so
// that nothing of another one is ever shown.
import { QueryClientProvider, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { Link, Redirect, useLocation, useSearch } from 'wouter';
import { Failure } from '../api/client';
import { dataMake } from '../api/data';
import { sessionAny, sessionQuery, type Session } from '../api/session';
import { Head } from '../parts/head';
import { Failed, Loading } from '../parts/state';
import { w } from '../words';

const signIn = () => `~/dashboard/signin?next=${encodeURIComponent(location.pathname.replace(/^\/dashboard/, '') + location.search)}`;

/** The data of the workspace `id`, which begins with the session where that is known already. */
export function WorkspaceData({ id, children }: { id: string; children: ReactNode }) {
	const outer = useQueryClient();
	const [data] = useState(() => {
		const made = dataMake();
		const session = outer.getQueryData<Session>(sessionQuery.queryKey);
		if (session?.workspace.id === id) made.setQueryData(sessionQuery.queryKey, session);
		return made;
	});
	return <QueryClientProvider client={data}>{children}</QueryClientProvider>;
}

/** An address without a workspace leads to that which the reader had last. */
export function Lead() {
	const session = useQuery(sessionQuery);
	const [path] = useLocation();
	const search = useSearch();
	if (session.error instanceof Failure && session.error.status === 401) return <Redirect to={signIn()} replace />;
	if (session.isPending) return <Loading />;
	if (!session.data) return <Failed why={session.error} again={() => void session.refetch()} />;
	return <Redirect to={`/w/${session.data.workspace.id}${path}${search && `?${search}`}${location.hash}`} replace />;
}

/** What stands in place of a page when its session is not there. */
export function NoSession({ why, again }: { why: Error; again: () => void }) {
	if (!(why instanceof Failure)) return <Failed why={why} again={again} />;
	if (why.status === 401) return <Redirect to={signIn()} replace />;
	return why.status === 403 || why.status === 400 ? <NotInIt /> : <Failed why={why} again={again} />;
}

/** The reader is not in the workspace of the address: those are offered in which they are. */
function NotInIt() {
	const session = useQuery({ queryKey: ['session', 'any'], queryFn: sessionAny, retry: false });
	if (session.error instanceof Failure && session.error.status === 401) return <Redirect to={signIn()} replace />;
	return (
		<main className="signin">
			<Head title={w.state.notIn} />
			<p>{w.state.notInText}</p>
			<ul className="plain-list">
				{session.data?.workspaces.map(({ id, name }) => (
					<li key={id}>
						<Link to={`~/dashboard/w/${id}/`}>{name}</Link>
					</li>
				))}
			</ul>
		</main>
	);
}
