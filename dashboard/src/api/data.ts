// SPDX-License-Identifier: MIT
// What was read of the service, as long as it is fresh.
import { QueryClient } from '@tanstack/react-query';
import { Failure } from './client';

export const dataMake = () =>
	new QueryClient({
		defaultOptions: {
			queries: {
				staleTime: 10_000,
				// The service said no: it would say so again.
				retry: (tries, why) => tries < 2 && !(why instanceof Failure && why.status < 500),
			},
		},
	});

/** What is read outside of workspaces: the session. */
export const outerData = dataMake();
