// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { figuresPage } from '../../api/stats';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';
import { fewOf, given, valuesOf, type Seer } from '../../parts/seen';

export type Broadcast = Schemas['Broadcast'];
export type BroadcastBody = Schemas['NewBroadcast'];
export type RecipientStatus = Schemas['BroadcastRecipient']['status'];
export type Report = Schemas['BroadcastReport'];
const at = (id: string) => ({ params: { path: { id } } });

/** A broadcast as it would be with these fields. */
export const asBroadcast = (broadcast: Broadcast, body: BroadcastBody | null) => (body ? ({ ...broadcast, ...body, variants: body.variants ?? [] } as Broadcast) : broadcast);

/** Whether something may happen to it by itself, and its figures change. */
export const moves = ({ status }: Pick<Broadcast, 'status'>) => ['scheduled', 'sending', 'testing'].includes(status);
const often = 3_000;
const rarely = 30_000;

export const broadcastsUse = () =>
	listUse(['broadcasts'], async (cursor) => {
		const { broadcasts, cursor: next } = await taken(api.GET('/v1/broadcasts', { params: { query: { cursor } } }));
		return { rows: broadcasts, cursor: next };
	});

export const broadcastQuery = (id: string) =>
	queryOptions({
		queryKey: ['broadcast', id],
		refetchInterval: ({ state: { data } }) => (data && moves(data) ? often : false),
		queryFn: () => taken(api.GET('/v1/broadcasts/{id}', at(id))),
	});

export const deeds = ['delivered', 'opened', 'clicked', 'bounced', 'complained', 'unsubscribed'] as const;
export type Deed = (typeof deeds)[number];
/** What recipients are found by: their state, what they did, or what they did not. */
export interface RecipientFilter {
	status?: RecipientStatus;
	did?: Deed;
	did_not?: Deed;
}

export const recipientsUse = (id: string, filter: RecipientFilter) =>
	listUse(['broadcast', id, 'recipients', filter], (cursor) =>
		// Of one state, the service looks at some recipients at a time.
		someOf(cursor, async (cursor) => {
			const { recipients, cursor: next } = await taken(
				api.GET('/v1/broadcasts/{id}/recipients', { params: { path: { id }, query: { cursor, ...filter } } }),
			);
			return { rows: recipients, cursor: next };
		}),
	);

type GroupBy = 'broadcast' | 'variant' | 'link';

/** What came of a broadcast since it started: rows of itself, its variants or its links. */
export const figuresQuery = (broadcast: Broadcast, group_by: GroupBy) =>
	queryOptions({
		queryKey: ['broadcast', broadcast.id, 'figures', group_by],
		refetchInterval: moves(broadcast) ? often : rarely,
		queryFn: async () => {
			const from = new Date(broadcast.started_at ?? broadcast.created).toISOString().slice(0, 10);
			const rows: Schemas['Figures'][] = [];
			let cursor: string | undefined;
			do {
				const page = await figuresPage({ group_by, from, cursor, broadcast_id: group_by === 'broadcast' ? undefined : broadcast.id });
				rows.push(...page.stats.filter(({ key }) => group_by !== 'broadcast' || key === broadcast.id));
				cursor = page.cursor ?? undefined;
			} while (cursor);
			return rows;
		},
	});

export const templateHtmlQuery = (id: string | null) =>
	queryOptions({ queryKey: ['template', id], enabled: id !== null, queryFn: () => taken(api.GET('/v1/templates/{id}', at(id!))) });

export const broadcastAdd = async () => {
	const { default_sender } = await taken(api.GET('/v1/workspace'));
	return taken(api.POST('/v1/broadcasts', { body: default_sender ? { from: default_sender } : {} }));
};
export const broadcastNow = (id: string) => taken(api.GET('/v1/broadcasts/{id}', at(id)));
export const broadcastChange = (id: string, body: BroadcastBody, headers: Record<string, string> = {}) => taken(api.PATCH('/v1/broadcasts/{id}', { ...at(id), body, headers }));
export const broadcastDelete = (id: string) => taken(api.DELETE('/v1/broadcasts/{id}', at(id)));
export const broadcastSend = (id: string, body: Schemas['BroadcastTime']) => taken(api.POST('/v1/broadcasts/{id}/send', { ...at(id), body }));
export const broadcastTest = (id: string, body: Schemas['BroadcastTest']) => taken(api.POST('/v1/broadcasts/{id}/test', { ...at(id), body }));
export const broadcastCheck = (id: string, links: boolean) => taken(api.POST('/v1/broadcasts/{id}/check', { ...at(id), body: { links } }));
export const broadcastWinner = (id: string, variant: number) => taken(api.POST('/v1/broadcasts/{id}/winner', { ...at(id), body: { variant } }));
export const broadcastAct = {
	unschedule: (id: string) => taken(api.POST('/v1/broadcasts/{id}/unschedule', at(id))),
	pause: (id: string) => taken(api.POST('/v1/broadcasts/{id}/pause', at(id))),
	resume: (id: string) => taken(api.POST('/v1/broadcasts/{id}/resume', at(id))),
	cancel: (id: string) => taken(api.POST('/v1/broadcasts/{id}/cancel', at(id))),
	duplicate: (id: string) => taken(api.POST('/v1/broadcasts/{id}/duplicate', at(id))),
};

type EmailWord = 'sent' | 'opened' | 'clicked' | 'bounced';
const ofBroadcast = (id: string, email: EmailWord, operator: 'did' | 'did_not') => ({ email, operator, broadcast: id });

/** The rules of a segment of those whom a filter finds; null: rules cannot say it. */
export function rulesOf(id: string, { did, did_not }: RecipientFilter) {
	const known = (deed: Deed | undefined): deed is 'opened' | 'clicked' | 'bounced' => deed === 'opened' || deed === 'clicked' || deed === 'bounced';
	if (known(did)) return { match: 'all', rules: [ofBroadcast(id, did, 'did')] };
	if (known(did_not)) return { match: 'all', rules: [ofBroadcast(id, 'sent', 'did'), ofBroadcast(id, did_not, 'did_not')] };
	return null;
}
export const segmentAdd = (name: string, rules: object) => taken(api.POST('/v1/segments', { body: { name, rules: rules as Record<string, never> } }));

/** What the service says of a broadcast that is about to leave, whom it names at all, and three of those who get it. */
export interface ReviewOf {
	report: Report;
	/** Null: they could not be counted. */
	named: number | null;
	reachable: number | null;
	people: Seer[];
}

/** Asked anew each time that the review opens. */
export const reviewQuery = (id: string, opened: number) =>
	queryOptions({
		queryKey: ['broadcast', id, 'review', opened],
		gcTime: 0,
		retry: false,
		queryFn: async (): Promise<ReviewOf> => {
			const broadcast = await taken(api.GET('/v1/broadcasts/{id}', at(id)));
			// A workspace has one count at a time: they go one after the other.
			const report = await broadcastCheck(id, false);
			const whole = await namedBy(broadcast).catch(() => null);
			const people = (whole?.people ?? []).filter(({ subscribed, suppressed }) => subscribed && !suppressed).slice(0, 3);
			return { report, named: whole?.count ?? null, reachable: whole?.reachable ?? null, people };
		},
	});

/** All whom the audiences and segments name, whether they get it or not. */
async function namedBy({ audiences, segments }: Broadcast) {
	const stored = await Promise.all(segments.map(async (id) => taken(api.GET('/v1/segments/{id}', at(id)))));
	if (stored.some(({ frozen_at }) => frozen_at)) return null;
	const rules = [...audiences.map((audience) => ({ audience, operator: 'member' })), ...stored.map((segment) => segment.rules)];
	return taken(api.POST('/v1/segments/preview', { body: { rules: { match: 'any', rules } as unknown as Record<string, never> } }));
}

interface Said {
	subject: string | null;
	preview_text: string | null;
	html: string | null;
	template_id: string | null;
}

/** A content as the service renders it for a person. */
export const renderedQuery = ({ subject, preview_text, html, template_id }: Said, person: Seer) =>
	queryOptions({
		queryKey: ['broadcast', 'render', subject, preview_text, html, template_id, person],
		retry: false,
		gcTime: 60_000,
		placeholderData: (before: Schemas['TemplatePreview'] | undefined) => before,
		queryFn: async () => {
			const template = template_id === null ? null : await taken(api.GET('/v1/templates/{id}', at(template_id)));
			const layout = template_id === null ? null : (await taken(api.GET('/v1/templates/{id}/layout', at(template_id)))).layout;
			const { properties } = await taken(api.GET('/v1/properties'));
			const variables = fewOf(valuesOf(person, properties, template?.variables), [subject, preview_text, html, template?.subject, template?.preview_text, template?.html]);
			const body = given({ subject: subject ?? template?.subject, preview_text: preview_text ?? template?.preview_text, html: template?.html ?? html, layout, variables });
			return taken(api.POST('/v1/templates/render', { body: body as Schemas['TemplateDraft'] }));
		},
	});
