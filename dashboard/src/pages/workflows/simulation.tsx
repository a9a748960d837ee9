// SPDX-License-Identifier: MIT
// What the drawing would do with a sample person and events: the service's own trace, whose path is lit on the canvas.
import { useMutation } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState, type FormEvent } from 'react';
import { whyText } from '../../api/why';
import { Button } from '../../parts/button';
import { Field, said, TextField } from '../../parts/field';
import { Icon } from '../../parts/icon';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import type { Path } from './canvas';
import { designText, isObject, type Design } from './design';
import { stepNameOf, stepText, wayName } from './kinds';
import { simulate, type Report, type SimulationInput } from './query';

const playMs = 700;

export function Simulation({ design, onPath }: { design: Design; onPath: (path: Path | undefined) => void }) {
	const [fault, setFault] = useState('');
	const run = useMutation({ mutationFn: (input: SimulationInput) => simulate(JSON.parse(designText(design)) as object, input) });
	const trigger = design.nodes.find(({ type }) => type === 'trigger');
	const [rows, setRows] = useState(() => [0]);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		try {
			setFault('');
			run.mutate(inputOf(values, rows));
		} catch {
			setFault(w.workflows.noObject);
		}
	};
	return (
		<section className="section" aria-label={w.workflows.simulation}>
			<h2>{w.workflows.simulation}</h2>
			<form className="stack" onSubmit={submit}>
				<Field label={w.workflows.samplePerson} name="email" type="email" defaultValue="ada@example.com" />
				<TextField label={w.workflows.sampleProperties} name="properties" rows={2} defaultValue="{}" spellCheck={false} />
				{rows.map((row, index) => (
					<EventFields key={row} row={row} name={index ? '' : String(trigger?.data.eventName ?? '')} after={index} onRemove={index ? () => setRows(rows.filter((one) => one !== row)) : undefined} />
				))}
				<div className="row">
					<Button type="submit" look="main" busy={run.isPending}>
						{w.workflows.run}
					</Button>
					<Button look="quiet" onClick={() => setRows([...rows, Math.max(...rows) + 1])}>
						{w.workflows.addEvent}
					</Button>
				</div>
			</form>
			{(fault || run.error) && (
				<p className="error" role="alert">
					{fault || run.error?.message}
				</p>
			)}
			{run.data && <Result key={run.submittedAt} report={run.data} design={design} onPath={onPath} />}
		</section>
	);
}

function EventFields({ row, name, after, onRemove }: { row: number; name: string; after: number; onRemove?: () => void }) {
	return (
		<div className="card">
			<Field label={w.workflows.eventName} name={`name ${row}`} defaultValue={name} required />
			<Field label={w.workflows.eventTime} name={`time ${row}`} type="datetime-local" step={1} defaultValue={localTime(Date.now() + after * 3_600_000)} required />
			<TextField label={w.workflows.eventProperties} name={`properties ${row}`} rows={2} defaultValue="{}" spellCheck={false} />
			{onRemove && (
				<Button look="quiet" onClick={onRemove}>
					{w.workflows.removeEvent}
				</Button>
			)}
		</div>
	);
}

/** A time as fields for dates and times take it: of the reader's zone. */
const localTime = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 19);

function objectIn(values: FormData, name: string) {
	const value: unknown = JSON.parse(said(values, name) || '{}');
	if (!isObject(value)) throw new Error();
	return value;
}

function inputOf(values: FormData, rows: number[]): SimulationInput {
	const email = said(values, 'email');
	return {
		contact: { ...(email ? { email } : {}), properties: objectIn(values, 'properties') },
		events: rows.map((row) => ({ event_name: said(values, `name ${row}`), timestamp: new Date(said(values, `time ${row}`)).getTime(), properties: objectIn(values, `properties ${row}`) })),
	};
}

function Result({ report, design, onPath }: { report: Report; design: Design; onPath: (path: Path | undefined) => void }) {
	const { trace } = report;
	const [now, setNow] = useState(0);
	const [plays, setPlays] = useState(false);
	const last = trace.length - 1;
	useEffect(() => {
		onPath(pathOf(trace.slice(0, now + 1), design));
		return () => onPath(undefined);
	}, [onPath, trace, now, design]);
	useEffect(() => {
		if (!plays) return;
		if (now >= last) return setPlays(false);
		const timer = setTimeout(() => setNow(now + 1), playMs);
		return () => clearTimeout(timer);
	}, [plays, now, last]);
	const to = (line: number) => {
		setPlays(false);
		setNow(Math.max(0, Math.min(last, line)));
	};
	return (
		<>
			<p role="status">{w.workflows.outcome(numberText(report.started), numberText(report.completed), numberText(report.failed), numberText(report.waiting))}</p>
			<div className="row">
				<Button disabled={now <= 0} onClick={() => to(now - 1)}>
					{w.workflows.previousStep}
				</Button>
				<Button disabled={now >= last} onClick={() => to(now + 1)}>
					{w.workflows.nextStep}
				</Button>
				<Button onClick={() => (plays ? setPlays(false) : (now >= last && setNow(0), setPlays(true)))}>{plays ? w.workflows.stopPlay : w.workflows.play}</Button>
				<Button look="quiet" disabled={now >= last} onClick={() => to(last)}>
					{w.workflows.toEnd}
				</Button>
			</div>
			<ol className="trace">
				{trace.map((line, index) => (
					<li key={index} className={index <= now ? 'done' : undefined}>
						<Line line={line} design={design} here={index === now} onClick={() => to(index)} />
					</li>
				))}
			</ol>
			{report.truncated && <p className="help">{w.workflows.truncated}</p>}
			<h3>{w.workflows.propertiesAfter}</h3>
			<pre className="source" tabIndex={0}>
				{JSON.stringify(report.properties, null, 2)}
			</pre>
		</>
	);
}

type TraceLine = Report['trace'][number];

/** What happens: an event, the end of an execution, or what the node does. */
function actionText({ action, step_id: id }: TraceLine, design: Design) {
	const event = /^event (.+)$/s.exec(action);
	if (id === null) return event ? w.why.action(event[1]) : ((w.workflows.state as Record<string, string>)[action] ?? action);
	const node = design.nodes.find((node) => node.id === id);
	if (action === 'leaves') return w.why.leaves;
	if (action === 'goal' || (action === 'exit' && node?.type !== 'exit')) return w.why.ends[action];
	return node ? stepText(node) : action;
}

function Line({ line, design, here, onClick }: { line: TraceLine; design: Design; here: boolean; onClick: () => void }) {
	const button = useRef<HTMLButtonElement>(null);
	useEffect(() => {
		// The panel scrolls, not the page: the canvas stays in sight.
		const panel = button.current?.closest('.flow-panel');
		if (here && panel) panel.scrollTop += button.current!.getBoundingClientRect().top - panel.getBoundingClientRect().top - panel.clientHeight / 2;
	}, [here]);
	return (
		<button ref={button} type="button" aria-current={here ? 'step' : undefined} onClick={onClick}>
			<span>
				{line.step_id === null ? <Icon name="trigger" /> : <strong>{stepNameOf(design.nodes, line.step_id)}</strong>} {actionText(line, design)}
				{line.branch && ` → ${wayName(line.branch)}`}
			</span>
			{line.why && <span className="reply">{whyText(line.why, (id) => stepNameOf(design.nodes, id))}</span>}
			<span className="help">
				<Time at={line.timestamp} form="whole" />
				{line.execution !== null && ` · ${w.workflows.executionNumber(numberText(line.execution))}`}
			</span>
		</button>
	);
}

interface Visit {
	execution?: number | null;
	step_id: string | null;
	branch: string | null;
}

/** The nodes and edges that these visits, in their order, have gone along. */
export function pathOf(visits: Visit[], { edges }: Design): Path {
	const path: Path = { nodes: new Set(), edges: new Set() };
	const at = new Map<number, Visit>();
	for (const visit of visits) {
		const { step_id: id, execution } = visit;
		if (id === null) continue;
		const from = at.get(execution ?? 0);
		const way = edges.find(({ source, target, sourceHandle }) => source === from?.step_id && target === id && (!from.branch || !sourceHandle || sourceHandle === from.branch));
		if (way) path.edges.add(way.id);
		path.nodes.add(id);
		path.here = id;
		at.set(execution ?? 0, visit.branch || from?.step_id !== id ? visit : from);
	}
	return path;
}

export const pathUse = (visits: Visit[], design: Design) => useMemo(() => pathOf(visits, design), [visits, design]);
