// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, Failure, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';
import { dateSince, figuresGet } from '../../api/stats';
import type { Design } from './design';

export type Workflow = Schemas['Workflow'];
export type WorkflowStatus = Workflow['status'];
export type Execution = Schemas['Execution'];
export type ExecutionStatus = Execution['status'];
export type Step = Schemas['ExecutionStep'];
export type Report = Schemas['SimulationReport'];
const at = (id: string) => ({ params: { path: { id } } });

export const executionStatuses = ['IN_PROGRESS', 'WAITING', 'COMPLETED', 'FAILED', 'CANCELLED'] as const;

export const workflowsUse = () =>
	listUse(['workflows'], async (cursor) => {
		const { workflows, cursor: next } = await taken(api.GET('/v1/workflows', { params: { query: { cursor } } }));
		return { rows: workflows, cursor: next };
	});

export const workflowQuery = (id: string) => queryOptions({ queryKey: ['workflow', id], queryFn: () => taken(api.GET('/v1/workflows/{id}', at(id))) });
export const workflowAdd = (name: string, design: object) => taken(api.POST('/v1/workflows', { body: { name, design } as Schemas['NewWorkflow'] }));
export const workflowChange = (id: string, body: { name?: string; design?: object; status?: WorkflowStatus }, headers: Record<string, string> = {}) =>
	taken(api.PATCH('/v1/workflows/{id}', { ...at(id), headers, body: body as Schemas['WorkflowChange'] }));
export const workflowDelete = (id: string) => taken(api.DELETE('/v1/workflows/{id}', at(id)));

export type VersionRow = Schemas['WorkflowVersionRow'];
export const versionsUse = (id: string) =>
	listUse(['workflow', id, 'versions'], async (cursor) => {
		const { versions, cursor: next } = await taken(api.GET('/v1/workflows/{id}/versions', { params: { path: { id }, query: { cursor } } }));
		return { rows: versions, cursor: next };
	});
export const versionRestore = (id: string, version: number) =>
	taken(api.POST('/v1/workflows/{id}/versions/{version}/restore', { params: { path: { id, version: String(version) } } }));
/** A saved design, which never changes. */
export const versionQuery = (id: string, version: number) =>
	queryOptions({
		queryKey: ['workflow-version', id, version],
		staleTime: Infinity,
		queryFn: () => taken(api.GET('/v1/workflows/{id}/versions/{version}', { params: { path: { id, version: String(version) } } })),
	});

const executionsPage = (id: string, status: string, cursor: string | undefined) =>
	taken(api.GET('/v1/workflows/{id}/executions', { params: { path: { id }, query: { cursor, ...(status ? { status: status as ExecutionStatus } : {}) } } }));

export const executionsUse = (id: string, status: string) =>
	listUse(['executions', id, status], async (cursor) => {
		const { executions, cursor: next } = await executionsPage(id, status, cursor);
		return { rows: executions, cursor: next };
	});

export const workflowEmailsUse = (id: string) =>
	listUse(['workflow-emails', id], async (cursor) => {
		const { emails, cursor: next } = await taken(api.GET('/v1/workflows/{id}/emails', { params: { path: { id }, query: { cursor } } }));
		return { rows: emails, cursor: next };
	});

/** How many people stand at each node. Whole when no page was left unread. */
export interface People {
	at: Map<string, number>;
	whole: boolean;
}
const pagesRead = 10;

/** The drawing has room for counts, and does not wait for them. */
const meta = { late: true };

export const peopleQuery = (id: string) =>
	queryOptions({
		queryKey: ['executions', id, 'people'],
		meta,
		refetchInterval: 30_000,
		queryFn: async () => {
			const people: People = { at: new Map(), whole: true };
			for (const status of ['IN_PROGRESS', 'WAITING']) {
				let cursor: string | undefined;
				for (let page = 0; page < pagesRead; page++) {
					const read = await executionsPage(id, status, cursor);
					for (const { current_step_id: node } of read.executions) people.at.set(node, (people.at.get(node) ?? 0) + 1);
					cursor = read.cursor ?? undefined;
					if (!cursor) break;
				}
				if (cursor) people.whole = false;
			}
			return people;
		},
	});

/** The figures of executions, in the order of a card. */
export const runFigures = ['started', 'completed', 'goals', 'exited', 'cancelled', 'failed'] as const satisfies (keyof Schemas['RunFigures'])[];

const figuresPages = 25;

/** What became of the executions of a workflow in the last days; null: there was none. */
export const runsQuery = (id: string, days: number) =>
	queryOptions({
		queryKey: ['workflow', id, 'runs', days],
		meta,
		refetchInterval: 30_000,
		queryFn: async () => (await figuresGet({ group_by: 'execution', from: dateSince(days) }, figuresPages)).find(({ key }) => key === id) ?? null,
	});

export type StepFigures = Omit<Schemas['StepFigures'], 'key' | 'day'>;

/** The figures of each node in the last days. */
export const stepsQuery = (id: string, days: number) =>
	queryOptions({
		queryKey: ['workflow', id, 'steps', days],
		meta,
		refetchInterval: 30_000,
		queryFn: async () => new Map((await figuresGet({ group_by: 'step', workflow_id: id, from: dateSince(days) }, figuresPages)).map((row): [string, StepFigures] => [row.key, row])),
	});

/** So many days, today with them, are figures kept of and asked for. */
const mostDays = 1_100;
/** The days since a workflow was made. */
export const daysOf = ({ created }: Workflow) => Math.min(mostDays, Math.floor(Date.now() / 86_400_000) - Math.floor(created / 86_400_000) + 1);

export const executionQuery = (id: string) =>
	queryOptions({ queryKey: ['execution', id], refetchInterval: 30_000, queryFn: () => taken(api.GET('/v1/executions/{id}', at(id))) });
export const stepsUse = (id: string) =>
	listUse(['execution', id, 'steps'], async (cursor) => {
		const { steps, cursor: next } = await taken(api.GET('/v1/executions/{id}/steps', { params: { path: { id }, query: { cursor } } }));
		return { rows: steps, cursor: next };
	});
/** The emails that an execution has sent, by their ids. A step shows its own once it is known. */
export const executionEmailsQuery = (id: string) =>
	queryOptions({
		queryKey: ['execution', id, 'emails'],
		meta,
		queryFn: async () => new Map((await taken(api.GET('/v1/executions/{id}/emails', at(id)))).emails.map((email) => [email.email_id, email])),
	});
export const executionCancel = (id: string) => taken(api.POST('/v1/executions/{id}/cancel', at(id)));

export type Start = Schemas['Start'];
export const startOver = ({ status }: Start) => status !== 'pending' && status !== 'running';
export const startsUse = (id: string) =>
	listUse(
		['starts', id],
		async (cursor) => {
			const { starts, cursor: next } = await taken(api.GET('/v1/workflows/{id}/starts', { params: { path: { id }, query: { cursor } } }));
			return { rows: starts, cursor: next };
		},
		{ again: (rows) => (rows.every(startOver) ? false : 5_000) },
	);
export const startAdd = (id: string, body: Schemas['NewStart']) => taken(api.POST('/v1/workflows/{id}/executions', { ...at(id), body }));
export const startCancel = (id: string, start: string) => taken(api.POST('/v1/workflows/{id}/starts/{start}/cancel', { params: { path: { id, start } } }));

export interface SimulationInput {
	contact: { email?: string; properties: Record<string, unknown> };
	events: { event_name: string; timestamp: number; properties: Record<string, unknown> }[];
}
export const simulate = (design: object, input: SimulationInput) =>
	taken(api.POST('/v1/workflows/simulate', { body: { design, ...input } as unknown as Schemas['Simulation'] }));

/** The service's sentence about the first fault of a design; empty when it has none. An event that nothing waits for asks it. */
export const checkQuery = (design: Design, text: string) =>
	queryOptions({
		queryKey: ['workflow-check', text],
		staleTime: Infinity,
		gcTime: 60_000,
		retry: false,
		placeholderData: (before: string | undefined) => before,
		queryFn: async () => {
			try {
				await simulate(JSON.parse(text) as object, { contact: { properties: {} }, events: [{ event_name: `check ${design.nodes.length}`, timestamp: Date.now(), properties: {} }] });
				return '';
			} catch (why) {
				if (why instanceof Failure && why.status === 400) return why.message;
				throw why;
			}
		},
	});

export const topicsQuery = queryOptions({ queryKey: ['topics', 'first'], queryFn: async () => (await taken(api.GET('/v1/topics'))).topics });
export const templatesQuery = queryOptions({ queryKey: ['templates', 'first'], queryFn: async () => (await taken(api.GET('/v1/templates'))).templates });
