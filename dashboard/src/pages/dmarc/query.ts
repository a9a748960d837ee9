// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { asked, taken } from '../../api/client';
import { listUse } from '../../api/list';
import { dateSince } from '../../api/stats';

export type Kind = 'ours' | 'other' | 'broken' | 'failing';

export interface Row {
	key: string;
	kind: Kind | null;
	messages: number;
	passed: number;
	dkim_aligned: number;
	spf_aligned: number;
	quarantined: number;
	rejected: number;
	reporters: number;
	first: number | string;
	last: number | string;
}
export const groups = ['source', 'day', 'reporter'] as const;
export type Group = (typeof groups)[number];

const of = (id: string) => `/v1/domains/${id}`;

export const dmarcQuery = (id: string, group_by: Group, days: number) =>
	queryOptions({
		queryKey: ['domain', id, 'dmarc', group_by, days],
		queryFn: async () => (await taken(asked<{ dmarc: Row[] }>('GET', `${of(id)}/dmarc`, { query: { group_by, from: dateSince(days) } }))).dmarc,
	});

export interface Policy {
	domain: string;
	found_at: string | null;
	record: string | null;
	policy: string | null;
	applied: string | null;
	testing: boolean;
	reports_here: boolean;
	warnings: string[];
	advice: { next: 'none' | 'quarantine' | 'reject' | null; ready: boolean; reasons: string[]; record: string | null };
}
export const policyQuery = (id: string) => queryOptions({ queryKey: ['domain', id, 'policy'], staleTime: 60_000, queryFn: () => taken(asked<Policy>('GET', `${of(id)}/policy`)) });

export interface Report {
	id: string;
	reporter: string;
	report_id: string;
	begin: number;
	end: number;
	messages: number;
	verified: boolean;
	errors: string[];
}
export interface TlsReport extends Omit<Report, 'messages'> {
	policy_type: string;
	successful: number;
	failed: number;
	failures: { result_type: string; count: number; sending_ip: string | null; receiving_host: string | null }[];
}
const reportsUse = <R>(id: string, list: string) =>
	listUse(['domain', id, list], async (cursor) => {
		const { reports, cursor: next } = await taken(asked<{ reports: R[]; cursor: string | null }>('GET', `${of(id)}/${list}`, { query: { cursor } }));
		return { rows: reports, cursor: next };
	});
export const dmarcReportsUse = (id: string) => reportsUse<Report>(id, 'dmarc/reports');
export const tlsReportsUse = (id: string) => reportsUse<TlsReport>(id, 'tls-reports');
