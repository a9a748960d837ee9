// SPDX-License-Identifier: MIT
// Workflows: the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { workflowAdd, workflowDelete, workflowsUse } from './query';
import { WorkflowBadge } from './status';

export default function Workflows() {
	const list = workflowsUse();
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.workflows.name} text={w.workflows.text}>
				{may && <Add />}
			</Head>
			<ListTable
				label={w.workflows.name}
				list={list}
				id={({ workflow_id }) => workflow_id}
				empty={
					<Empty title={w.workflows.empty}>
						<p>{w.workflows.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.workflows.workflow, cell: ({ workflow_id, name }) => <Link to={`/workflows/${workflow_id}`}>{name}</Link> },
					{ name: w.workflows.status, cell: ({ status }) => <WorkflowBadge status={status} /> },
					{ name: w.workflows.updated, minor: true, cell: ({ updated }) => <Time at={updated} /> },
					{ name: w.workflows.createdBy, minor: true, cell: ({ created_by, created_by_type }) => (created_by_type === 'user' ? created_by : w.workflows.byKey) },
					{
						name: w.workflows.people,
						actions: true,
						cell: ({ workflow_id, name }) => (
							<>
								<Link className="button quiet" to={`/workflows/${workflow_id}/executions`}>
									{w.workflows.executions}
								</Link>
								{may && <Remove id={workflow_id} name={name} />}
							</>
						),
					},
				]}
			/>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	const [, go] = useLocation();
	return (
		<FormButton
			fresh
			name={w.workflows.make}
			title={w.workflows.make}
			action={w.do.create}
			onSubmit={async (values) => {
				const design = { nodes: [{ id: 'trigger_1', type: 'trigger', position: { x: 0, y: 0 }, data: {} }], edges: [] };
				const made = await workflowAdd(said(values, 'name'), design);
				void data.invalidateQueries({ queryKey: ['workflows'] });
				go(`/workflows/${made.workflow_id}`);
			}}
		>
			<Field label={w.workflows.workflowName} name="name" help={w.workflows.nameHelp} maxLength={100} required />
		</FormButton>
	);
}

/** Asks, then deletes a workflow. */
export function Remove({ id, name, then }: { id: string; name: string; then?: () => void }) {
	const remove = changeUse(() => workflowDelete(id), { touches: [['workflows']], done: w.workflows.removed, then });
	return <ConfirmButton quiet={!then} name={w.workflows.remove} title={w.workflows.removeTitle(name)} text={w.workflows.removeText} onConfirm={() => remove.mutate()} />;
}
