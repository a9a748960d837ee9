// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';
import { dateSince } from '../../api/stats';

export type Row = Schemas['DmarcFigure'];
export type Kind = NonNullable<Row['kind']>;
export type Policy = Schemas['DomainPolicy'];
export const groups = ['source', 'day', 'reporter'] as const;
export type Group = (typeof groups)[number];

const at = (id: string) => ({ params: { path: { id } } });

export const dmarcQuery = (id: string, group_by: Group, days: number) =>
	queryOptions({
		queryKey: ['domain', id, 'dmarc', group_by, days],
		queryFn: async () => (await taken(api.GET('/v1/domains/{id}/dmarc', { params: { path: { id }, query: { group_by, from: dateSince(days) } } }))).dmarc,
	});

export const policyQuery = (id: string) => queryOptions({ queryKey: ['domain', id, 'policy'], staleTime: 60_000, queryFn: () => taken(api.GET('/v1/domains/{id}/policy', at(id))) });

export const dmarcReportsUse = (id: string) =>
	listUse(['domain', id, 'dmarc/reports'], async (cursor) => {
		const { reports, cursor: next } = await taken(api.GET('/v1/domains/{id}/dmarc/reports', { params: { path: { id }, query: { cursor } } }));
		return { rows: reports, cursor: next };
	});

export const tlsReportsUse = (id: string) =>
	listUse(['domain', id, 'tls-reports'], async (cursor) => {
		const { reports, cursor: next } = await taken(api.GET('/v1/domains/{id}/tls-reports', { params: { path: { id }, query: { cursor } } }));
		return { rows: reports, cursor: next };
	});
