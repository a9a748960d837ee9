// SPDX-License-Identifier: MIT
// What the overview asks: figures by day, and what may need a hand.
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { dateSince, figuresGet } from '../../api/stats';
import { demoIsThere, isDemoAddress } from './demo';

export type Figures = Schemas['Figures'];
export const shown = ['sent', 'delivered', 'opened', 'bounced', 'complained'] as const;
const refetchInterval = 30_000;

export const periods = [7, 30, 90] as const;
export type Period = (typeof periods)[number];
const day = 86_400_000;
const dateOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);
const today = () => Math.floor(Date.now() / day) * day;

export interface Day {
	day: number;
	figures: Record<(typeof shown)[number], number>;
}

/** The days of a period, today last, and as many days before it. */
export const figuresQuery = (days: Period) =>
	queryOptions({
		queryKey: ['stats', 'day', days],
		refetchInterval,
		queryFn: async () => {
			const first = today() - (2 * days - 1) * day;
			const all = daysOf(await figuresGet({ group_by: 'day', from: dateOf(first) }), 2 * days);
			return { before: all.slice(0, days), now: all.slice(days) };
		},
	});

/** A row for each of the last days, today last; days without an email have zeros. */
function daysOf(rows: Figures[], count: number): Day[] {
	const known = new Map(rows.map((row) => [row.key ?? row.day, row]));
	return Array.from({ length: count }, (_, index) => {
		const at = today() - (count - 1 - index) * day;
		const row = known.get(dateOf(at));
		return { day: at, figures: Object.fromEntries(shown.map((name) => [name, row?.[name] ?? 0])) as Day['figures'] };
	});
}

export const groups = ['domain', 'template', 'broadcast', 'workflow', 'stream', 'tag', 'provider'] as const;
export type Group = (typeof groups)[number];

/** The figures of the things of one kind, those with most emails first. */
export const breakdownQuery = (group_by: Group, days: number) =>
	queryOptions({
		queryKey: ['stats', group_by, days],
		queryFn: async () => {
			const stats = await figuresGet({ group_by, from: dateSince(days) });
			const workflows = group_by === 'workflow' ? new Map((await taken(api.GET('/v1/workflows'))).workflows.map((one) => [one.workflow_id, one.name])) : null;
			return stats.map((row) => ({ ...row, name: workflows?.get(row.key ?? '') })).sort((a, b) => b.sent - a.sent);
		},
	});

/** Which of the first steps are done. */
export const stepsQuery = queryOptions({
	queryKey: ['steps'],
	staleTime: 60_000,
	queryFn: async () => {
		const [{ domains }, { keys }, { emails }, { people }, { broadcasts }, demo] = await Promise.all([
			taken(api.GET('/v1/domains')), taken(api.GET('/v1/keys')), taken(api.GET('/v1/emails')), taken(api.GET('/v1/people')), taken(api.GET('/v1/broadcasts')), demoIsThere(),
		]);
		return {
			domain: domains.some(({ verified_for_sending_status }) => verified_for_sending_status),
			key: keys.length > 0,
			email: emails.length > 0,
			people: people.some(({ email }) => !isDemoAddress(email)),
			broadcast: broadcasts.some(({ status }) => status !== 'draft'),
			demo,
		};
	},
});

export const waitingQuery = queryOptions({ queryKey: ['waiting'], refetchInterval, queryFn: () => taken(api.GET('/v1/waiting')) });
export type Waits = Awaited<ReturnType<NonNullable<typeof waitingQuery.queryFn>>>;

export const webhooksQuery = queryOptions({
	queryKey: ['webhooks', 'first'],
	refetchInterval,
	queryFn: async () => (await taken(api.GET('/v1/webhooks'))).webhooks,
});
