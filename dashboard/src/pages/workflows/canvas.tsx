// SPDX-License-Identifier: MIT
// The drawing of a design: nodes, edges, what stands at them and what is lit.
import {
	applyEdgeChanges,
	applyNodeChanges,
	Background,
	Handle,
	MarkerType,
	MiniMap,
	Position,
	ReactFlow,
	SmoothStepEdge,
	useReactFlow,
	useUpdateNodeInternals,
	type Connection,
	type Edge,
	type EdgeChange,
	type NodeChange,
	type NodeProps,
} from '@xyflow/react';
import '@xyflow/react/dist/base.css';
import { createContext, useCallback, useContext, useEffect, useMemo, useRef, type DragEvent } from 'react';
import { Link } from 'wouter';
import { nameUse } from '../../api/choices';
import { Icon } from '../../parts/icon';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import './canvas.css';
import { isKind, kinds, nodeWidth, waysOut, withEdge, withNode, withoutNodes, type Design, type Kind, type Step } from './design';
import type { DrawingOf } from './history';
import { kindIcon, kindName, stepName, stepText, wayName } from './kinds';
import type { People, StepFigures } from './query';

/** What is lit: nodes, edges, and the node at which it stands. */
export interface Path {
	nodes: Set<string>;
	edges: Set<string>;
	here?: string;
}

interface Shown {
	/** The address of the executions, with how many people stand at each node. */
	people?: People;
	executions?: string;
	/** How many have come to each node, and what became of them. */
	figures?: Map<string, StepFigures>;
	path?: Path;
	fault?: string;
	/** Nodes that differ from those of another drawing. */
	changed?: Set<string>;
	edges: Edge[];
}
const ShownContext = createContext<Shown>({ edges: [] });

const nodeTypes = Object.fromEntries(['default', ...kinds].map((kind) => [kind, StepNode]));
const edgeTypes = { default: SmoothStepEdge };
const edgeOptions = { markerEnd: { type: MarkerType.ArrowClosed, markerUnits: 'userSpaceOnUse', width: 20, height: 20 } };
const fit = { padding: 0.15, maxZoom: 1 };
const deleteKeys = ['Delete', 'Backspace'];
const looked = ({ type }: NodeChange) => type === 'select' || type === 'dimensions';
const dragged = 'application/x-posthouse-kind';

interface Props extends Omit<Shown, 'edges'> {
	label: string;
	design: Design;
	drawing?: DrawingOf;
	/** It is only looked at. */
	still?: boolean;
	/** Told which node is chosen. */
	onChoose?: (id: string) => void;
}

export function Canvas({ label, design, drawing, still = !drawing, onChoose, people, executions, figures, path, fault, changed }: Props) {
	const shown = useMemo(() => ({ people, executions, figures, path, fault, changed, edges: design.edges }), [people, executions, figures, path, fault, changed, design.edges]);
	const { screenToFlowPosition } = useReactFlow();
	const change = drawing?.change;
	const pause = drawing?.pause;
	const onNodesChange = useCallback(
		(changes: NodeChange<Step>[]) => {
			if (!change) return;
			if (still) return change((now) => ({ ...now, nodes: applyNodeChanges(changes.filter(looked), now.nodes) }), undefined, true);
			const gone = new Set(changes.flatMap((one) => (one.type === 'remove' ? [one.id] : [])));
			const rest = changes.filter(({ type }) => type !== 'remove');
			const moved = rest.some(({ type }) => type === 'position');
			if (rest.length) change((now) => ({ ...now, nodes: applyNodeChanges(rest, now.nodes) }), moved ? 'move' : undefined, !moved);
			if (moved && rest.some((one) => one.type === 'position' && one.dragging === false)) pause!();
			if (gone.size) change((now) => withoutNodes(now, gone), 'remove');
			if (gone.size) setTimeout(pause!);
		},
		[change, pause, still],
	);
	const onEdgesChange = useCallback(
		(changes: EdgeChange[]) => {
			if (still) return;
			const removes = changes.some(({ type }) => type === 'remove');
			// A node and its edges go one after the other, and come back together.
			change?.((now) => ({ ...now, edges: applyEdgeChanges(changes, now.edges) }), removes ? 'remove' : undefined, !removes);
			if (removes) setTimeout(pause!);
		},
		[change, pause, still],
	);
	const onConnect = useCallback(
		({ source, sourceHandle, target }: Connection) => change?.((now) => withEdge(now, source, sourceHandle ?? null, target)),
		[change],
	);
	const drop = (event: DragEvent) => {
		const kind = event.dataTransfer.getData(dragged);
		if (!isKind(kind)) return;
		event.preventDefault();
		const { x, y } = screenToFlowPosition({ x: event.clientX, y: event.clientY });
		change?.((now) => withNode(now, kind, { x: x - nodeWidth / 2, y: y - 30 }));
	};
	const chosen = design.nodes.filter(({ selected }) => selected);
	const choice = chosen.length === 1 ? chosen[0].id : '';
	useEffect(() => onChoose?.(choice), [onChoose, choice]);
	const nodes = useMemo(() => design.nodes.map(named), [design.nodes]);
	const edges = useMemo(() => design.edges.map((edge) => withPath(edge, design, path)), [design, path]);
	return (
		<ShownContext.Provider value={shown}>
			<div className={still ? 'flow still' : 'flow'} role="group" aria-label={label} onDrop={still ? undefined : drop} onDragOver={(event) => event.preventDefault()}>
				<ReactFlow
					nodes={nodes}
					edges={edges}
					nodeTypes={nodeTypes}
					edgeTypes={edgeTypes}
					defaultEdgeOptions={edgeOptions}
					onNodesChange={drawing ? onNodesChange : undefined}
					onEdgesChange={drawing ? onEdgesChange : undefined}
					onConnect={onConnect}
					nodesDraggable={!still}
					nodesConnectable={!still}
					edgesFocusable={!still}
					elementsSelectable={!!drawing}
					deleteKeyCode={still ? null : deleteKeys}
					connectionRadius={30}
					minZoom={0.1}
					fitView
					fitViewOptions={fit}
					proOptions={{ hideAttribution: true }}
					ariaLabelConfig={w.workflows.aria}
				>
					<Background gap={20} />
					<Zoom />
					<MiniMap className="flow-map" position="bottom-left" pannable zoomable ariaLabel={w.workflows.map} />
				</ReactFlow>
			</div>
		</ShownContext.Provider>
	);
}

// The canvas knows what it draws by the object: the same node gives the same object.
const names = new WeakMap<Step, Step>();
function named(node: Step): Step {
	const known = names.get(node) ?? { ...node, ariaLabel: `${kindName(node.type)}: ${stepName(node)} (${node.id})`, type: isKind(node.type) ? node.type : 'default' };
	names.set(node, known);
	return known;
}

const withPath = (edge: Edge, { nodes }: Design, path?: Path): Edge => {
	const name = (id: string) => nodes.find((node) => node.id === id);
	const [from, to] = [name(edge.source), name(edge.target)];
	return {
		...edge,
		type: 'default',
		label: undefined,
		ariaLabel: w.workflows.edge(from ? stepName(from) : edge.source, to ? stepName(to) : edge.target),
		className: path?.edges.has(edge.id) ? 'lit' : undefined,
	};
};

function Zoom() {
	const { zoomIn, zoomOut, fitView } = useReactFlow();
	const buttons = [
		{ name: w.workflows.zoomIn, icon: 'plus', act: () => void zoomIn() },
		{ name: w.workflows.zoomOut, icon: 'minus', act: () => void zoomOut() },
		{ name: w.workflows.whole, icon: 'whole', act: () => void fitView(fit) },
	];
	return (
		<div className="flow-zoom">
			{buttons.map(({ name, icon, act }) => (
				<button key={icon} type="button" className="icon-button" aria-label={name} title={name} onClick={act}>
					<Icon name={icon} />
				</button>
			))}
		</div>
	);
}

function StepNode({ id, type, data, selected, isConnectable }: NodeProps<Step>) {
	const { people, executions, figures, path, fault, changed, edges } = useContext(ShownContext);
	const template = nameUse('templates');
	const known = waysOut({ type, data });
	const ways = [...known, ...edges.flatMap(({ source, sourceHandle }) => (source === id && sourceHandle && !known.includes(sourceHandle) ? [sourceHandle] : []))];
	const measure = useUpdateNodeInternals();
	const shape = ways.join('\n');
	const measured = useRef(shape);
	useEffect(() => {
		if (measured.current !== shape) measure(id);
		measured.current = shape;
	}, [measure, id, shape]);
	const count = people?.at.get(id);
	const look = ['step', type, selected && 'chosen', fault === id && 'fault', changed?.has(id) && 'changed', path?.nodes.has(id) && 'lit', path?.here === id && 'here'].filter(Boolean).join(' ');
	return (
		<div className={look}>
			{type !== 'trigger' && <Handle type="target" position={Position.Top} isConnectable={isConnectable} />}
			<div className="step-head">
				<Icon name={kindIcon(type)} />
				<strong>{stepName({ type, data })}</strong>
				{count && executions && (
					<Link className="people nodrag nopan" to={`${executions}?node=${encodeURIComponent(id)}`} aria-label={w.workflows.peopleHere(count)} title={w.workflows.peopleHere(count)}>
						{numberText(count)}
						{!people?.whole && '+'}
					</Link>
				)}
			</div>
			<p className="step-text">{stepText({ type, data }, template) || '–'}</p>
			{executions && <Counts of={figures?.get(id)} here={count ?? 0} />}
			{ways.length > 0 && ways[0] !== null && (
				<div className="step-ways">
					{ways.map((way) => (
						<span key={way} className={known.includes(way) ? undefined : 'error'}>
							{wayName(way)}
						</span>
					))}
				</div>
			)}
			{ways.map((way, index) => (
				<Handle
					key={way}
					id={way}
					type="source"
					position={Position.Bottom}
					isConnectable={isConnectable}
					style={{ left: `${((index + 0.5) * 100) / ways.length}%` }}
				/>
			))}
		</div>
	);
}

/** How many people have entered a node, have done with it, and failed there; there is room for it before it is known. */
function Counts({ of, here }: { of?: StepFigures; here: number }) {
	if (!of?.entered) return <p className="step-counts" />;
	const { entered, failed, skipped } = of;
	return (
		<p className="step-counts">
			<span>{w.workflows.countEntered(numberText(entered))}</span>
			<span>{w.workflows.countEnded(numberText(Math.max(0, entered - failed - here)))}</span>
			{skipped > 0 && <span>{w.workflows.countSkipped(numberText(skipped))}</span>}
			{failed > 0 && <span className="error">{w.workflows.countFailed(numberText(failed))}</span>}
		</p>
	);
}

/** The types of nodes, to drag onto the canvas, or to add by click and key. */
export function Palette({ onAdd }: { onAdd: (kind: Kind) => void }) {
	return (
		<div className="flow-palette" role="group" aria-label={w.workflows.add}>
			{(Object.keys(w.workflows.kind) as Kind[]).map((kind) => (
				<button
					key={kind}
					type="button"
					draggable
					className="button"
					title={w.workflows.addHelp}
					onDragStart={(event) => {
						event.dataTransfer.setData(dragged, kind);
						event.dataTransfer.effectAllowed = 'copy';
					}}
					onClick={() => onAdd(kind)}
				>
					<Icon name={kindIcon(kind)} />
					{w.workflows.kind[kind]}
				</button>
			))}
		</div>
	);
}
