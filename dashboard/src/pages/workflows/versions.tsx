// SPDX-License-Identifier: MIT
// Two versions of a workflow side by side: how one differs from the other in words, and both drawings.
import { useQuery } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo } from 'react';
import { useSearchParams } from 'wouter';
import { changeUse, type List } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { Choice } from '../../parts/field';
import { Empty, Ready } from '../../parts/state';
import { timeText } from '../../parts/time';
import { w } from '../../words';
import { Canvas } from './canvas';
import { designRead } from './design';
import { Differences, nodesThatDiffer } from './differences';
import { WorkflowHead } from './head';
import { versionQuery, versionRestore, versionsUse, workflowQuery, type VersionRow, type Workflow } from './query';

export default function Versions({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	const list = versionsUse(id);
	return (
		<>
			<WorkflowHead id={id} workflow={workflow.data} />
			<Ready of={workflow}>
				{(workflow) =>
					workflow.current_version < 2 ? (
						<Empty title={w.workflows.oneVersion}>
							<p>{w.workflows.oneVersionText}</p>
						</Empty>
					) : (
						<Ready of={list}>{() => <Comparing workflow={workflow} list={list} />}</Ready>
					)
				}
			</Ready>
		</>
	);
}

function Comparing({ workflow, list }: { workflow: Workflow; list: List<VersionRow> }) {
	const { workflow_id: id, current_version: newest, active_version: active } = workflow;
	const [search, setSearch] = useSearchParams();
	const may = mayChangeUse();
	const restore = changeUse((version: number) => versionRestore(id, version), { touches: [['workflow', id], ['workflows']], done: w.versions.restored });
	const chosen = (name: string, otherwise: number) => {
		const given = Number(search.get(name));
		return Number.isInteger(given) && given >= 1 && given <= newest ? given : otherwise;
	};
	const before = chosen('before', active && active !== newest ? active : newest - 1);
	const after = chosen('after', newest);
	const choose = (name: string) => (event: { target: { value: string } }) =>
		setSearch(
			(now) => {
				now.set(name, event.target.value);
				return now;
			},
			{ replace: true },
		);
	const options = (kept: number) => [...new Set([...list.rows.map(({ version }) => version), kept])].map((version) => ({ value: String(version), name: nameOf(version, list.rows) }));
	return (
		<>
			<div className="halves">
				<Choice label={w.workflows.versionBefore} value={String(before)} onChange={choose('before')} options={options(before)} />
				<Choice label={w.workflows.versionAfter} value={String(after)} onChange={choose('after')} options={options(after)} />
			</div>
			{list.hasNextPage && (
				<div>
					<Button look="quiet" busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
						{w.do.more}
					</Button>
				</div>
			)}
			<Compared id={id} before={before} after={after} />
			{may && before !== newest && (
				<div>
					<Button busy={restore.isPending} onClick={() => restore.mutate(before)}>
						{w.versions.restore(w.workflows.versionOf(before))}
					</Button>
				</div>
			)}
		</>
	);
}

function nameOf(version: number, rows: VersionRow[]) {
	const row = rows.find((row) => row.version === version);
	const states = row ? [timeText(row.created), row.active && w.workflows.versionActive, row.current && w.workflows.versionNewest] : [];
	return [w.workflows.versionSame(version), ...states.filter(Boolean)].join(', ');
}

function Compared({ id, before, after }: { id: string; before: number; after: number }) {
	const one = useQuery(versionQuery(id, before));
	const other = useQuery(versionQuery(id, after));
	return <Ready of={one}>{({ design: was }) => <Ready of={other}>{({ design: is }) => <SideBySide was={was} is={is} names={[w.workflows.versionSame(before), w.workflows.versionSame(after)]} />}</Ready>}</Ready>;
}

function SideBySide({ was, is, names }: { was: string; is: string; names: [string, string] }) {
	const [before, after] = useMemo(() => [designRead(was), designRead(is)], [was, is]);
	const changed = useMemo(() => [nodesThatDiffer(before, after), nodesThatDiffer(after, before)], [before, after]);
	return (
		<>
			<div className="halves">
				{[before, after].map((design, index) => (
					<section key={index} className="section">
						<h2>{names[index]}</h2>
						<ReactFlowProvider key={`${was.length} ${names[index]}`}>
							<Canvas label={`${w.workflows.canvas}: ${names[index]}`} design={design} changed={changed[index]} />
						</ReactFlowProvider>
					</section>
				))}
			</div>
			<section className="section">
				<h2>{w.workflows.changes}</h2>
				<Differences before={before} after={after} names={names} />
			</section>
		</>
	);
}
