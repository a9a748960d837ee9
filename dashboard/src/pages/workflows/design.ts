// SPDX-License-Identifier: MIT
// A design: what the canvas shows of it, and what is saved.
import type { Edge, Node } from '@xyflow/react';

export type Data = Record<string, unknown>;
export type Step = Node<Data>;
export interface Design {
	nodes: Step[];
	edges: Edge[];
}

export const kinds = ['trigger', 'send_email', 'wait', 'wait_for_event', 'condition', 'update_contact', 'split', 'digest', 'request', 'delete_contact', 'exit'] as const;
export type Kind = (typeof kinds)[number];
export const isKind = (type: unknown): type is Kind => kinds.includes(type as Kind);

const begins: Record<Kind, () => Data> = {
	trigger: () => ({}),
	send_email: () => ({}),
	wait: () => ({ duration: 1, unit: 'days' }),
	wait_for_event: () => ({ timeout: { duration: 1, unit: 'days' } }),
	condition: () => ({ match: 'all', rules: [{ property: '', operator: 'equals', value: '' }] }),
	update_contact: () => ({ set: {} }),
	split: () => ({ weights: { a: 50, b: 50 } }),
	digest: () => ({ duration: 1, unit: 'days' }),
	request: () => ({ url: '' }),
	delete_contact: () => ({}),
	exit: () => ({}),
};

/** The ways out of a node that its type has; null: one, without a name. */
export function waysOut({ type, data }: Pick<Step, 'type' | 'data'>): (string | null)[] {
	if (type === 'exit' || type === 'delete_contact') return [];
	if (type === 'request') return ['ok', 'failed'];
	if (type === 'condition') return ['yes', 'no'];
	if (type === 'wait_for_event') return ['event', 'timeout'];
	if (type === 'split') return Object.keys(isObject(data.weights) ? data.weights : {});
	return [null];
}

/** Whether nobody ever takes this way out: one waits for an event without an end. */
export const isClosed = ({ type, data }: Pick<Step, 'type' | 'data'>, way: string | null) => type === 'wait_for_event' && way === 'timeout' && !isObject(data.timeout);

export const isObject = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null && !Array.isArray(value);

/** The design that a text of the service holds. Members that we do not know are kept. */
export function designRead(text: string): Design {
	const given = JSON.parse(text) as { nodes: unknown[]; edges: unknown[] };
	const nodes = given.nodes.filter(isObject).map((node) => ({
		...node,
		id: String(node.id ?? ''),
		data: isObject(node.data) ? node.data : {},
		position: isPlace(node.position) ? node.position : { x: NaN, y: NaN },
	})) as Step[];
	const types = new Map(nodes.map((node) => [node.id, node]));
	const edges = given.edges.filter(isObject).map((edge, index) => {
		const from = types.get(String(edge.source));
		const one = from && waysOut(from)[0] === null;
		return {
			...edge,
			id: typeof edge.id === 'string' && edge.id ? edge.id : `edge-${index + 1}`,
			source: String(edge.source),
			target: String(edge.target),
			sourceHandle: one || typeof edge.sourceHandle !== 'string' ? null : edge.sourceHandle,
			targetHandle: null,
		};
	}) as Edge[];
	const design = { nodes, edges };
	return nodes.some(({ position }) => Number.isNaN(position.x)) ? arranged(design) : design;
}

const isPlace = (value: unknown): value is { x: number; y: number } => isObject(value) && Number.isFinite(value.x) && Number.isFinite(value.y);

/** What is saved: without what the canvas keeps for itself. */
export function designText({ nodes, edges }: Design): string {
	return JSON.stringify({
		nodes: nodes.map(({ selected: _1, dragging: _2, measured: _3, ...node }) => ({ ...node, position: { x: Math.round(node.position.x), y: Math.round(node.position.y) } })),
		edges: edges.map(({ selected: _1, sourceHandle, targetHandle: _2, ...edge }) => (sourceHandle ? { ...edge, sourceHandle } : edge)),
	});
}

function freeId(taken: Iterable<string>, stem: string) {
	const all = new Set(taken);
	let number = 1;
	while (all.has(`${stem}_${number}`)) number++;
	return `${stem}_${number}`;
}

const selectedAlone = (nodes: Step[]) => nodes.map((node) => (node.selected ? { ...node, selected: false } : node));

/** The design with a new node, chosen; behind the node `after` where that still has a way out without an edge. */
export function withNode(design: Design, kind: Kind, place: { x: number; y: number } | null, after?: Step): Design {
	const id = freeId(design.nodes.map((node) => node.id), kind);
	const free = after && kind !== 'trigger' ? waysOut(after).findIndex((way) => !edgeOf(design, after.id, way)) : -1;
	const way = free < 0 ? undefined : waysOut(after!)[free];
	const position = place ?? freePlace(design, after, Math.max(free, 0));
	const nodes = [...selectedAlone(design.nodes), { id, type: kind, position, data: begins[kind](), selected: true }];
	return way === undefined ? { ...design, nodes } : withEdge({ ...design, nodes }, after!.id, way, id);
}

export const edgeOf = ({ edges }: Design, source: string, way: string | null) => edges.find((edge) => edge.source === source && (edge.sourceHandle ?? null) === way);

/** The design in which this way out leads there; without a target it leads nowhere. */
export function withEdge(design: Design, source: string, way: string | null, target: string): Design {
	const edges = design.edges.filter((edge) => edge.source !== source || (edge.sourceHandle ?? null) !== way);
	if (!target) return { ...design, edges };
	const id = freeId(design.edges.map((edge) => edge.id), 'edge');
	return { ...design, edges: [...edges, { id, source, target, sourceHandle: way, targetHandle: null }] };
}

/** The design with other data in a node. Edges of ways out that the node has no more go with them, or take the new name. */
export function withData(design: Design, id: string, data: Data): Design {
	const before = design.nodes.find((node) => node.id === id)!;
	const nodes = design.nodes.map((node) => (node === before ? { ...node, data } : node));
	if (before.type !== 'split') return { ...design, nodes };
	const ways = waysOut({ type: before.type, data });
	const gone = waysOut(before).filter((way) => !ways.includes(way));
	const fresh = ways.filter((way) => !waysOut(before).includes(way));
	const renamed = gone.length === 1 && fresh.length === 1;
	const edges = design.edges.flatMap((edge) => {
		if (edge.source !== id || !gone.includes(edge.sourceHandle ?? null)) return [edge];
		return renamed ? [{ ...edge, sourceHandle: fresh[0] }] : [];
	});
	return { nodes, edges };
}

export const withoutNodes = ({ nodes, edges }: Design, gone: Set<string>): Design => ({
	nodes: nodes.filter(({ id }) => !gone.has(id)),
	edges: edges.filter(({ source, target }) => !gone.has(source) && !gone.has(target)),
});

/** What is chosen, with the edges between. */
export function chosen({ nodes, edges }: Design): Design {
	const inside = nodes.filter(({ selected }) => selected);
	const ids = new Set(inside.map(({ id }) => id));
	return { nodes: inside, edges: edges.filter(({ source, target }) => ids.has(source) && ids.has(target)) };
}

/** The design with a copy of these nodes beside it, chosen, under ids of their own. */
export function withCopy(design: Design, copied: Design): Design {
	const names = new Map<string, string>();
	const taken = design.nodes.map(({ id }) => id);
	for (const node of copied.nodes) {
		const id = freeId(taken, isKind(node.type) ? node.type : 'node');
		taken.push(id);
		names.set(node.id, id);
	}
	let whole: Design = { ...design, nodes: [...selectedAlone(design.nodes), ...copied.nodes.map((node) => copyOf(node, names.get(node.id)!))] };
	for (const { source, target, sourceHandle } of copied.edges) whole = withEdge(whole, names.get(source)!, sourceHandle ?? null, names.get(target)!);
	return whole;
}

const copyOf = ({ type, position, data }: Step, id: string): Step => ({ id, type, data: structuredClone(data), position: { x: position.x + 40, y: position.y + 40 }, selected: true });

export const nodeWidth = 220;
const gap = { x: nodeWidth + 40, y: 150 };

function freePlace({ nodes }: Design, after: Step | undefined, side: number) {
	const place = after
		? { x: after.position.x + side * gap.x, y: after.position.y + gap.y }
		: { x: 0, y: nodes.length ? Math.max(...nodes.map(({ position }) => position.y)) + gap.y : 0 };
	while (nodes.some(({ position }) => Math.abs(position.x - place.x) < nodeWidth && Math.abs(position.y - place.y) < 100)) place.x += gap.x;
	return place;
}

/** The design in rows: each node below those that lead to it, near to the middle of them. */
export function arranged(design: Design): Design {
	const rows = new Map<number, string[]>();
	for (const [id, row] of rowOfEach(design)) rows.set(row, [...(rows.get(row) ?? []), id]);
	const places = new Map<string, { x: number; y: number }>();
	for (const row of [...rows.keys()].sort((a, b) => a - b)) {
		const wanted = rows.get(row)!.map((id) => ({ id, x: middle(design, id, places) }));
		wanted.sort((a, b) => a.x - b.x);
		const shift = wanted.reduce((sum, { x }, index) => sum + x - index * gap.x, 0) / wanted.length;
		wanted.forEach(({ id }, index) => places.set(id, { x: Math.round(shift + index * gap.x), y: row * gap.y }));
	}
	return { ...design, nodes: design.nodes.map((node) => ({ ...node, position: places.get(node.id) ?? { x: 0, y: 0 } })) };
}

/** Where the edges to a node come from: the place of their source, and a little to the side of their way out. */
function middle({ nodes, edges }: Design, id: string, places: Map<string, { x: number }>) {
	const from = edges.flatMap(({ source, target, sourceHandle }) => {
		const place = target === id && places.get(source);
		if (!place) return [];
		const ways = waysOut(nodes.find((node) => node.id === source)!);
		return [place.x + (Math.max(ways.indexOf(sourceHandle ?? null), 0) - (ways.length - 1) / 2) * gap.x];
	});
	return from.length ? from.reduce((a, b) => a + b) / from.length : 0;
}

/** The longest way to each node from those to which no edge leads; an edge that closes a circle does not count. */
function rowOfEach(design: Design) {
	const ahead = withoutCircles(design);
	const rows = new Map<string, number>();
	const visit = (id: string): number => {
		const row = rows.get(id) ?? ahead.filter(({ target }) => target === id).reduce((most, { source }) => Math.max(most, visit(source) + 1), 0);
		rows.set(id, row);
		return row;
	};
	for (const { id } of design.nodes) visit(id);
	return rows;
}

/** The edges but those that lead back to a node on the way to them, seen from the trigger. */
function withoutCircles({ nodes, edges }: Design) {
	const ids = new Set(nodes.map(({ id }) => id));
	const state = new Map<string, 'open' | 'done'>();
	const ahead: Edge[] = [];
	const visit = (id: string) => {
		state.set(id, 'open');
		for (const edge of edges) {
			if (edge.source !== id || !ids.has(edge.target) || state.get(edge.target) === 'open') continue;
			ahead.push(edge);
			if (!state.has(edge.target)) visit(edge.target);
		}
		state.set(id, 'done');
	};
	const first = [...nodes].sort((a, b) => Number(b.type === 'trigger') - Number(a.type === 'trigger'));
	for (const { id } of first) if (!state.has(id)) visit(id);
	return ahead;
}

const filled = (value: unknown) => (typeof value === 'string' ? value.trim() !== '' : value !== undefined && value !== null);
const ruled = (rules: unknown): boolean => Array.isArray(rules) && rules.length > 0 && rules.filter(isObject).every((rule) => ('rules' in rule ? ruled(rule.rules) : filled(rule.property) && (rule.operator === 'exists' || rule.operator === 'not_exists' || filled(rule.value))));

/** What is said of the event of a trigger, a wait or a condition. */
const eventWhole = (data: Data) => filled(data.eventName) && (!String(data.eventName).startsWith('segment.') || filled(data.segmentId));
const conditionsWhole = (conditions: unknown) => Array.isArray(conditions) && conditions.length > 0 && conditions.filter(isObject).every((one) => ('rules' in one ? ruled(one.rules) : eventWhole(one)));

function triggerWhole(data: Data) {
	const { eventName, date, schedule, goal, exit, hours } = data;
	if (!eventWhole(data)) return false;
	if (eventName === 'date.reached' && !(isObject(date) && filled(date.property))) return false;
	if (eventName === 'schedule.due' && !(isObject(schedule) && filled(schedule.cron) && (filled(data.audienceId) || filled(data.segmentId)))) return false;
	if (isObject(goal) && !conditionsWhole(goal.any)) return false;
	if (Array.isArray(exit) && !conditionsWhole(exit)) return false;
	return !isObject(hours) || (Array.isArray(hours.windows) && hours.windows.filter(isObject).every(({ from, to, days }) => filled(from) && filled(to) && !(Array.isArray(days) && !days.length)));
}

/** Whether a node says what its type needs, so that asking the service for its faults makes sense. */
export function nodeWhole({ type, data }: Step) {
	if (type === 'trigger') return triggerWhole(data);
	if (type === 'send_email') return filled(data.templateId) || filled(data.template) || (filled(data.subject) && (filled(data.html) || filled(data.text)));
	if (type === 'wait' || type === 'digest') return filled(data.until) || filled(data.duration) || filled(data.time);
	if (type === 'request') return filled(data.url) && !JSON.stringify(data.body ?? null).includes('{"var":""}');
	if (type === 'wait_for_event') return eventWhole(data);
	if (type === 'condition') return ruled(data.rules);
	if (type === 'update_contact') return data.subscribed !== undefined || [data.set, data.copy, data.topics, data.audiences].some((pairs) => isObject(pairs) && Object.keys(pairs).length > 0 && Object.keys(pairs).every(filled));
	if (type === 'split') return isObject(data.weights) && Object.keys(data.weights).length > 1 && Object.entries(data.weights).every(([way, share]) => filled(way) && Number(share) > 0);
	return true;
}

/** The first node that is still being drawn: it lacks something, or nothing leads to it. */
export const unfinishedIn = ({ nodes, edges }: Design) => nodes.find((node) => !nodeWhole(node) || (node.type !== 'trigger' && !edges.some(({ target }) => target === node.id)));

/** The nodes in the order in which an execution comes to them. */
export function inOrder(design: Design): Step[] {
	const rows = rowOfEach(design);
	return [...design.nodes].sort((a, b) => rows.get(a.id)! - rows.get(b.id)! || a.position.x - b.position.x);
}
