// SPDX-License-Identifier: MIT
// The frame around all pages: data, session, routes.
import { QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { outerData } from '../api/data';
import { Notices } from '../parts/notice';
import { Leaving, leave } from '../parts/unsaved';
import { pages } from './page';
import { Routes } from './routes';

/** Loads the page of the address at once, while the session is asked for. */
function pageLoad() {
	const here = (location.pathname.replace(/^\/dashboard(\/w\/[^/]+)?(?=\/|$)/, '') || '/').split('/');
	const fits = (path: string) => path.split('/').length === here.length && path.split('/').every((part, at) => part.startsWith(':') || part === here[at]);
	void pages.find(({ path }) => fits(path))?.load().catch(() => {});
}

export function start(root: HTMLElement) {
	pageLoad();
	createRoot(root).render(
		<QueryClientProvider client={outerData}>
			<Router base="/dashboard" aroundNav={(navigate, to, options) => leave(to, () => navigate(to, options))}>
				<Notices>
					<Routes />
					<Leaving />
				</Notices>
			</Router>
		</QueryClientProvider>,
	);
}
