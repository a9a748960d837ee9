// SPDX-License-Identifier: MIT
// Which page an address opens.
import { lazy, Suspense, type ComponentType } from 'react';
import { Route, Switch, useLocation } from 'wouter';
import { sessionUse } from '../api/session';
import { Loading } from '../parts/state';
import { w } from '../words';
import { Caught } from './caught';
import { pages } from './page';
import { Shell } from './shell';
import { SignIn } from './signin';
import { Together } from './together';
import { Lead, WorkspaceData } from './workspace';
import { Head } from '../parts/head';

const loaded: { path: string; allowed?: (typeof pages)[0]['allowed']; Component: ComponentType<{ params: Record<string, string> }> }[] =
	pages.map(({ path, allowed, load }) => ({ path, allowed, Component: lazy(async () => (await load()) ?? (await reloaded)) }));

/** A page whose files are gone comes to nothing: the whole page is loaded anew just then. */
const reloaded = new Promise<never>(() => {});

export function Routes() {
	return (
		<Switch>
			<Route path="/signin">
				<SignIn />
			</Route>
			<Route path="/w/:workspace" nest>
				{({ workspace }) => (
					<WorkspaceData key={workspace} id={workspace}>
						<Shell>
							<Here />
						</Shell>
					</WorkspaceData>
				)}
			</Route>
			<Route>
				<Lead />
			</Route>
		</Switch>
	);
}

function Here() {
	const [path] = useLocation();
	return (
		<Caught key={path}>
			<Pages />
		</Caught>
	);
}

function Pages() {
	const { role } = sessionUse();
	return (
		<Suspense fallback={<Loading />}>
			<Together>
				<Switch>
					{loaded.map(({ path, allowed, Component }) => (
						<Route key={path} path={path}>
							{(params) => (allowed?.(role) === false ? <NotAllowed /> : <Component params={whole(params as Record<string, string>)} />)}
						</Route>
					))}
					<Route>
						<Head title={w.state.notFound} />
						<p>{w.state.notFoundText}</p>
					</Route>
				</Switch>
			</Together>
		</Suspense>
	);
}

/** The router decodes a path but for the characters that divide it, which an address may hold. */
const whole = (params: Record<string, string>) =>
	Object.fromEntries(Object.entries(params).map(([name, value]) => [name, value?.replace(/%(2[346BCF]|3[ABDF]|40)/gi, decodeURIComponent)]));

function NotAllowed() {
	return (
		<>
			<Head title={w.state.notAllowed} />
			<p>{w.state.notAllowedText}</p>
		</>
	);
}
