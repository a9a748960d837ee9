// SPDX-License-Identifier: MIT
// What stands around each page: workspace, navigation, the reader.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useState, type ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { restForgetAll } from '../api/bulk';
import { onSessionEnded } from '../api/client';
import { outerData } from '../api/data';
import { sessionQuery, sessionUse, signOut, workspaceSwitch } from '../api/session';
import { changeUse } from '../api/list';
import { Icon } from '../parts/icon';
import { Menu } from '../parts/menu';
import { Loading } from '../parts/state';
import { languageNow, languageSet, w } from '../words';
import { Ended } from './ended';
import { Invitations } from './invitations';
import { groups, pages } from './page';
import { Palette } from './palette';
import { themeApply, themeNow } from './theme';
import { NoSession } from './workspace';

export function Shell({ children }: { children: ReactNode }) {
	const session = useQuery(sessionQuery);
	const [ended, setEnded] = useState(false);
	useEffect(() => onSessionEnded(() => setEnded(true)), []);
	const back = useCallback(() => setEnded(false), []);
	if (session.isPending) return <Loading />;
	if (!session.data) return <NoSession why={session.error} again={() => void session.refetch()} />;
	return (
		<>
			<Frame>{children}</Frame>
			{ended && <Ended onBack={back} />}
		</>
	);
}

function Frame({ children }: { children: ReactNode }) {
	const [open, setOpen] = useState(false);
	const [palette, setPalette] = useState(false);
	const [path] = useLocation();
	useEffect(() => setOpen(false), [path]);
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			if ((event.ctrlKey || event.metaKey) && event.key === 'k') {
				event.preventDefault();
				setPalette((now) => !now);
			}
		};
		addEventListener('keydown', press);
		return () => removeEventListener('keydown', press);
	}, []);
	return (
		<div className="shell">
			<a className="skip" href="#main">
				{w.nav.skip}
			</a>
			<aside className={open ? 'side open' : 'side'}>
				<div className="side-top">
					<WorkspaceMenu />
					<button type="button" className="icon-button side-toggle" aria-expanded={open} aria-label={w.nav.menu} onClick={() => setOpen(!open)}>
						<Icon name={open ? 'close' : 'menu'} />
					</button>
				</div>
				<div className="side-rest">
					<button type="button" className="search" onClick={() => setPalette(true)}>
						<Icon name="search" />
						<span>{w.palette.title}</span>
						<kbd>Ctrl K</kbd>
					</button>
					<Navigation />
					<ReaderMenu />
				</div>
			</aside>
			<main id="main" tabIndex={-1}>
				<Invitations />
				{children}
			</main>
			<Palette open={palette} onOpenChange={setPalette} />
		</div>
	);
}

function Navigation() {
	const { role } = sessionUse();
	const [path] = useLocation();
	const here = (to: string) => (to === '/' ? path === '/' : path === to || path.startsWith(`${to}/`));
	return (
		<nav aria-label={w.nav.name}>
			{groups.map((group) => {
				const inside = pages.filter((page) => page.place?.group === group.id && page.allowed?.(role) !== false);
				return (
					inside.length > 0 && (
						<section key={group.id}>
							<h2 className="nav-title">{group.name()}</h2>
							<ul>
								{inside.map(({ path: to, place }) => (
									<li key={to}>
										<Link to={to} className="nav-link" aria-current={here(to) ? 'page' : undefined}>
											<Icon name={place!.icon} />
											{place!.name()}
										</Link>
									</li>
								))}
							</ul>
						</section>
					)
				);
			})}
		</nav>
	);
}

function WorkspaceMenu() {
	const { workspace, workspaces } = sessionUse();
	const [, go] = useLocation();
	// The service remembers the one chosen last, for addresses without a workspace.
	const change = changeUse((id: string) => workspaceSwitch(id), { touches: [], then: (_, id) => go(`~/dashboard/w/${id}/`) });
	return (
		<Menu
			button={
				<button type="button" className="workspace">
					<span className="mark" data-letter={workspace.name.slice(0, 1).toUpperCase()} />
					<span className="hidden">{w.nav.workspaceNow}: </span>
					<span className="workspace-name">{workspace.name}</span>
					<Icon name="down" />
				</button>
			}
			parts={[
				{
					title: w.nav.workspaces,
					entries: workspaces.map(({ id, name }) => ({ name, chosen: id === workspace.id, act: () => change.mutate(id) })),
				},
			]}
		/>
	);
}

function ReaderMenu() {
	const { user, role } = sessionUse();
	const [, go] = useLocation();
	const data = useQueryClient();
	const [theme, setTheme] = useState(themeNow());
	const leave = changeUse(signOut, {
		touches: [],
		then: () => {
			restForgetAll();
			data.clear();
			outerData.clear();
			go('~/dashboard/signin');
		},
	});
	const look = (next: typeof theme) => () => {
		themeApply(next);
		setTheme(next);
	};
	return (
		<div className="reader">
			<Menu
				button={
					<button type="button" className="workspace">
						<Icon name="user" />
						<span className="hidden">{w.nav.reader}: </span>
						<span className="workspace-name">{user.email}</span>
						<span className="soft">{w.role[role]}</span>
					</button>
				}
				parts={[
					{
						title: w.nav.look,
						entries: [
							{ name: w.theme.system, chosen: theme === 'system', act: look('system') },
							{ name: w.theme.light, chosen: theme === 'light', act: look('light') },
							{ name: w.theme.dark, chosen: theme === 'dark', act: look('dark') },
						],
					},
					{
						title: w.nav.language,
						entries: [
							{ name: 'English', chosen: languageNow() === 'en', act: () => languageSet('en') },
							{ name: 'Deutsch', chosen: languageNow() === 'de', act: () => languageSet('de') },
						],
					},
					{ entries: [{ name: w.nav.sessions, act: () => go('/sessions') }, { name: w.nav.signOut, act: () => leave.mutate() }] },
				]}
			/>
		</div>
	);
}
