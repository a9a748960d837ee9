// SPDX-License-Identifier: MIT
// One workflow: its design on the canvas, to draw, to check, to simulate, and with the people in it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ReactFlowProvider, useReactFlow } from '@xyflow/react';
import { useCallback, useEffect, useState } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { draftUse } from '../../api/draft';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { isOvertaken, versionUse } from '../../api/version';
import { Button } from '../../parts/button';
import { FormButton } from '../../parts/dialog';
import { DraftFound } from '../../parts/draft-found';
import { Field, said } from '../../parts/field';
import { Icon } from '../../parts/icon';
import { Ready } from '../../parts/state';
import { unsavedUse, workForget } from '../../parts/unsaved';
import { w } from '../../words';
import { Canvas, Palette, type Path } from './canvas';
import { Changes } from './changes';
import { Check, faultyNode, checkUse } from './check';
import { clipboardUse, shortcutsUse } from './clipboard';
import { arranged, chosen, designRead, designText, nodeWidth, withCopy, withNode, withoutNodes, type Kind } from './design';
import { NodeForm } from './form';
import { WorkflowHead } from './head';
import { drawingUse, type DrawingOf } from './history';
import { Remove } from './page';
import { daysOf, peopleQuery, stepsQuery, workflowChange, workflowQuery, type Workflow, type WorkflowStatus } from './query';
import { Simulation } from './simulation';

export default function WorkflowPage({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	if (!workflow.data)
		return (
			<>
				<WorkflowHead id={id} />
				<Ready of={workflow}>{() => null}</Ready>
			</>
		);
	return (
		<ReactFlowProvider key={id}>
			<Editor workflow={workflow.data} />
		</ReactFlowProvider>
	);
}

function Editor({ workflow }: { workflow: Workflow }) {
	const id = workflow.workflow_id;
	const may = mayChangeUse();
	const drawing = drawingUse(workflow);
	const { design, change } = drawing;
	const [search, setSearch] = useSearchParams();
	const [path, setPath] = useState<Path>();
	const people = useQuery(peopleQuery(id));
	const figures = useQuery(stepsQuery(id, daysOf(workflow)));
	const check = checkUse(design, may);
	const simulates = search.has('simulate');
	const node = design.nodes.find(({ id }) => id === search.get('node'));

	// The address says which node is chosen, and a shared address chooses it.
	const [asked] = useState(search.get('node'));
	useEffect(() => {
		if (asked) change((now) => ({ ...now, nodes: now.nodes.map((node) => ({ ...node, selected: node.id === asked })) }), undefined, true);
	}, [change, asked]);
	const onChoose = useCallback(
		(chosen: string) =>
			setSearch(
				(now) => {
					if (chosen) now.set('node', chosen);
					else now.delete('node');
					return now;
				},
				{ replace: true },
			),
		[setSearch],
	);
	const mode = (simulate: boolean) => {
		setPath(undefined);
		setSearch(simulate ? { simulate: '1' } : {}, { replace: true });
	};
	const { screenToFlowPosition, setCenter, getZoom } = useReactFlow();
	/** A new node comes behind the chosen one, else into the middle of what is seen; it is brought into sight. */
	const add = (kind: Kind) => {
		const box = document.querySelector('.flow')!.getBoundingClientRect();
		const after = chosen(design).nodes.at(-1);
		const middle = screenToFlowPosition({ x: box.x + box.width / 2, y: box.y + box.height / 2 });
		const next = withNode(design, kind, after ? null : { x: middle.x - nodeWidth / 2, y: middle.y - 30 }, after);
		change(() => next);
		const { x, y } = next.nodes.at(-1)!.position;
		const [from, to] = [screenToFlowPosition({ x: box.x, y: box.y }), screenToFlowPosition({ x: box.right, y: box.bottom })];
		if (x < from.x || y < from.y || x + nodeWidth > to.x || y + 80 > to.y) void setCenter(x + nodeWidth / 2, y + 40, { zoom: getZoom() });
	};
	const onPath = useCallback((next: Path | undefined) => setPath(next), []);
	return (
		<>
			<WorkflowHead id={id} workflow={workflow}>
				{may && <Actions workflow={workflow} drawing={drawing} />}
			</WorkflowHead>
			{drawing.behind && <Behind workflow={workflow} drawing={drawing} />}
			<Tools drawing={drawing} may={may} simulates={simulates} onMode={mode} />
			<div className={may ? 'flow-page' : 'flow-page still'}>
				{may && <Palette onAdd={add} />}
				<Canvas
					label={w.workflows.canvas}
					design={design}
					drawing={drawing}
					still={!may}
					onChoose={onChoose}
					people={people.data}
					figures={figures.data}
					executions={`/workflows/${id}/executions`}
					path={simulates ? path : undefined}
					fault={may ? faultyNode(check.data, design) : undefined}
				/>
				<div className="flow-panel">
					{may && <Check check={check} design={design} onChoose={(id) => change((now) => ({ ...now, nodes: now.nodes.map((node) => ({ ...node, selected: node.id === id })) }), undefined, true)} />}
					{simulates ? (
						<Simulation design={design} onPath={onPath} />
					) : node ? (
						<NodeForm key={node.id} node={node} drawing={drawing} may={may} />
					) : (
						<p className="soft">{may ? w.workflows.chooseHelp : w.workflows.lookHelp}</p>
					)}
				</div>
			</div>
		</>
	);
}

/** What can be done with the drawing. */
function Tools({ drawing, may, simulates, onMode }: { drawing: DrawingOf; may: boolean; simulates: boolean; onMode: (simulate: boolean) => void }) {
	const { design, change, undo, redo, canUndo, canRedo } = drawing;
	const { fitView } = useReactFlow();
	const some = design.nodes.some(({ selected }) => selected);
	const remove = () => change((now) => withoutNodes(now, new Set(chosen(now).nodes.map(({ id }) => id))));
	clipboardUse(may ? drawing : undefined);
	shortcutsUse(may ? drawing : undefined);
	return (
		<div className="flow-tools" role="group" aria-label={w.workflows.tools}>
			{may && (
				<>
					<Button look="quiet" disabled={!canUndo} onClick={undo} title="Ctrl Z">
						<Icon name="undo" />
						{w.workflows.undo}
					</Button>
					<Button look="quiet" disabled={!canRedo} onClick={redo} title="Ctrl Shift Z">
						<Icon name="redo" />
						{w.workflows.redo}
					</Button>
					<Button look="quiet" disabled={!some} onClick={() => change((now) => withCopy(now, chosen(now)))} title={w.workflows.duplicateHelp}>
						<Icon name="copy" />
						{w.workflows.duplicate}
					</Button>
					<Button look="quiet" disabled={!some} onClick={remove} title={w.workflows.takeHelp}>
						<Icon name="close" />
						{w.workflows.take}
					</Button>
					<Button
						look="quiet"
						onClick={() => {
							change(arranged);
							requestAnimationFrame(() => void fitView({ padding: 0.15, maxZoom: 1 }));
						}}
					>
						<Icon name="workflow" />
						{w.workflows.arrange}
					</Button>
					<Changes drawing={drawing} />
				</>
			)}
			<Button look="quiet" aria-pressed={simulates} onClick={() => onMode(!simulates)}>
				<Icon name="trigger" />
				{w.workflows.simulate}
			</Button>
		</div>
	);
}

/** Save, and what changes the state. */
function Actions({ workflow, drawing }: { workflow: Workflow; drawing: DrawingOf }) {
	const { workflow_id: id, status, name } = workflow;
	const { design, dirty, keep } = drawing;
	const data = useQueryClient();
	const [, go] = useLocation();
	const text = designText(design);
	const version = versionUse(`/v1/workflows/${id}`);
	const kept = draftUse<{ design: string }>('workflow', id, { dirty, edit: text, read: () => ({ design: text }) });
	const take = (now: Workflow) => {
		version.renew();
		data.setQueryData(workflowQuery(id).queryKey, now);
		void data.invalidateQueries({ queryKey: ['workflows'] });
	};
	const save = changeUse(
		async (next: WorkflowStatus | undefined) => {
			const sent = text;
			const body = { ...(dirty || !workflow.current_version ? { design: JSON.parse(sent) as object } : {}), ...(next ? { status: next } : {}) };
			const now = await workflowChange(id, body, version.headers()).catch(async (why: unknown) => {
				if (!isOvertaken(why)) throw why;
				// The page says that it is behind, and how both differ; saving once more makes this one the newest.
				await data.invalidateQueries({ queryKey: workflowQuery(id).queryKey });
				version.renew();
				throw why;
			});
			keep(sent, now.current_version);
			return now;
		},
		{ touches: [], done: (now) => (now.status === status ? w.workflows.saved : w.workflows.became[now.status]), then: take },
	);
	// A pause does not wait for a drawing to be whole.
	const set = changeUse((status: WorkflowStatus) => workflowChange(id, { status }), { touches: [], done: (now) => w.workflows.became[now.status], then: take });
	const busy = save.isPending || set.isPending;
	// Pages of the same workflow keep the drawing.
	unsavedUse(dirty, () => save.mutateAsync(undefined), `/workflows/${id}/`);
	return (
		<>
			{kept.kept && !dirty && (
				<DraftFound
					at={kept.kept.updated}
					onTake={() => {
						const { design } = kept.kept!.value;
						drawing.change(() => designRead(design));
						kept.take();
					}}
					onDrop={kept.drop}
				/>
			)}
			<Button look={dirty || status === 'active' ? 'main' : 'plain'} disabled={!dirty} busy={busy} onClick={() => save.mutate(undefined)} title={status === 'active' ? w.workflows.saveActive : undefined}>
				{status === 'active' ? w.workflows.saveLive : w.do.save}
			</Button>
			{status !== 'active' && (
				<Button look={dirty ? 'plain' : 'main'} busy={busy} onClick={() => save.mutate('active')}>
					{w.workflows.activate}
				</Button>
			)}
			{status === 'active' && (
				<Button busy={busy} onClick={() => set.mutate('paused')} title={w.workflows.pauseHelp}>
					{w.workflows.pause}
				</Button>
			)}
			{status !== 'draft' && (
				<Button busy={busy} onClick={() => set.mutate('draft')} title={w.workflows.stopHelp}>
					{w.workflows.stop}
				</Button>
			)}
			<FormButton
				look="plain"
				name={w.workflows.rename}
				title={w.workflows.rename}
				action={w.do.save}
				onSubmit={async (values) => take(await workflowChange(id, { name: said(values, 'name') }))}
			>
				<Field label={w.workflows.workflowName} name="name" help={w.workflows.nameHelp} defaultValue={name} maxLength={100} required />
			</FormButton>
			<Remove
				id={id}
				name={name}
				then={() => {
					workForget();
					go('/workflows');
				}}
			/>
		</>
	);
}

function Behind({ workflow, drawing }: { workflow: Workflow; drawing: DrawingOf }) {
	return (
		<div className="flow-message warn" role="status">
			<p>{w.workflows.behind(workflow.current_version)}</p>
			<Button onClick={() => drawing.discard(workflow)}>{w.workflows.discard}</Button>
		</div>
	);
}
