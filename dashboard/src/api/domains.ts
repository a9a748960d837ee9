// SPDX-License-Identifier: MIT
// The first page of domains, for what needs their names.
import { queryOptions } from '@tanstack/react-query';
import { api, taken } from './client';

export const domainsQuery = queryOptions({
	queryKey: ['domains', 'first'],
	refetchInterval: 30_000,
	queryFn: async () => (await taken(api.GET('/v1/domains'))).domains,
});
