// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Domain = Schemas['Domain'];
export type DnsRecord = Schemas['DnsRecordState'];

export const domainsUse = () =>
	listUse(['domains'], async (cursor) => {
		const { domains, cursor: next } = await taken(api.GET('/v1/domains', { params: { query: { cursor } } }));
		return { rows: domains, cursor: next };
	});

export const domainQuery = (id: string) =>
	queryOptions({ queryKey: ['domain', id], queryFn: () => taken(api.GET('/v1/domains/{id}', { params: { path: { id } } })) });

export const keysQuery = (id: string) =>
	queryOptions({ queryKey: ['domain', id, 'keys'], queryFn: async () => (await taken(api.GET('/v1/domains/{id}/keys', { params: { path: { id } } }))).keys });
export type DomainKey = Awaited<ReturnType<NonNullable<ReturnType<typeof keysQuery>['queryFn']>>>[0];
export const relaysQuery = (id: string) =>
	queryOptions({ queryKey: ['domain', id, 'relays'], queryFn: () => taken(api.GET('/v1/domains/{id}/relays', { params: { path: { id } } })) });
export const zoneQuery = (id: string) =>
	queryOptions({ queryKey: ['domain', id, 'zone'], queryFn: async () => (await taken(api.GET('/v1/domains/{id}/zone', { params: { path: { id } } }))).zone });

export const domainRotate = (id: string) => taken(api.POST('/v1/domains/{id}/rotate', { params: { path: { id } } }));
export const domainAdd = (name: string) => taken(api.POST('/v1/domains', { body: { name } }));
export const domainCheck = (id: string) => taken(api.POST('/v1/domains/{id}/verify', { params: { path: { id } }, body: undefined as never }));
export const domainChange = (id: string, change: Schemas['DomainChange']) =>
	taken(api.PATCH('/v1/domains/{id}', { params: { path: { id } }, body: change }));
export const domainDelete = (id: string) => taken(api.DELETE('/v1/domains/{id}', { params: { path: { id } } }));

export type Route = Schemas['Route'];
export type Action = Route['action'];
export const actions = ['store', 'forward', 'drop', 'refuse'] as const satisfies Action[];
export const routesQuery = (id: string) =>
	queryOptions({ queryKey: ['domain', id, 'routes'], queryFn: async () => (await taken(api.GET('/v1/domains/{id}/routes', { params: { path: { id } } }))).routes });
export const routeAdd = (id: string, body: Schemas['NewRoute']) => taken(api.POST('/v1/domains/{id}/routes', { params: { path: { id } }, body }));
export const routeChange = (id: string, route: string, body: Schemas['RouteChange']) => taken(api.PATCH('/v1/domains/{id}/routes/{route}', { params: { path: { id, route } }, body }));
export const routeDelete = (id: string, route: string) => taken(api.DELETE('/v1/domains/{id}/routes/{route}', { params: { path: { id, route } } }));

/** What a domain has of its own. */
export type DomainSettings = Schemas['DomainSettings'];
export const settingsQuery = (id: string) => queryOptions({ queryKey: ['domain', id, 'settings'], queryFn: () => taken(api.GET('/v1/domains/{id}/settings', { params: { path: { id } } })) });
export const settingsChange = (id: string, body: Schemas['DomainSettingsChange']) => taken(api.PATCH('/v1/domains/{id}/settings', { params: { path: { id } }, body }));
