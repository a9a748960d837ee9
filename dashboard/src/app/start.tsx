// SPDX-License-Identifier: MIT
// The frame around all pages: data, session, routes.
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { createRoot } from 'react-dom/client';
import { Router } from 'wouter';
import { Failure } from '../api/client';
import { Notices } from '../parts/notice';
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

export function start(root: HTMLElement) {
	createRoot(root).render(
		<QueryClientProvider client={data}>
			<Router base="/dashboard">
				<Notices>
					<Routes />
				</Notices>
			</Router>
		</QueryClientProvider>,
	);
}
