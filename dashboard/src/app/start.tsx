// SPDX-License-Identifier: MIT
// The frame around all pages: data, session, routes.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Failure } from '../api/client';
import { Notices } from '../parts/notice';
import { Leaving, leave } from '../parts/unsaved';
import { pages } from './page';
import { Routes } from './routes';

const data = new QueryClient({
	defaultOptions: {
		queries: {
			staleTime: 10_000,
			// The service said no: it would say so again.
			retry: (tries, why) => tries < 2 && !(why instanceof Failure && why.status < 500),
		},
	},
});

/** Loads the page of the address at once, while the session is asked for. */
function pageLoad() {
	const here = (location.pathname.replace(/^\/dashboard(?=\/|$)/, '') || '/').split('/');
	const fits = (path: string) => path.split('/').length === here.length && path.split('/').every((part, at) => part.startsWith(':') || part === here[at]);
	void pages.find(({ path }) => fits(path))?.load().catch(() => {});
}

export function start(root: HTMLElement) {
	pageLoad();
	createRoot(root).render(
		<QueryClientProvider client={data}>
			<Router base="/dashboard" aroundNav={(navigate, to, options) => leave(to, () => navigate(to, options))}>
				<Notices>
					<Routes />
					<Leaving />
				</Notices>
			</Router>
		</QueryClientProvider>,
	);
}
