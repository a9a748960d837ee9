// SPDX-License-Identifier: MIT
// The executions of a workflow: one for each person who entered it.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { whyText } from '../../api/why';
import { Button } from '../../parts/button';
import { Choice } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { designRead } from './design';
import { WorkflowHead } from './head';
import { stepNameOf } from './kinds';
import { executionStatuses, executionsUse, workflowQuery } from './query';
import { ExecutionBadge } from './status';

export default function Executions({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	const [search, setSearch] = useSearchParams();
	const status = search.get('status') ?? '';
	const node = search.get('node') ?? '';
	const list = executionsUse(id, status);
	const nodes = useMemo(() => (workflow.data ? designRead(workflow.data.design).nodes : []), [workflow.data]);
	const choices = [...new Set([...nodes.map(({ id }) => id), ...(node ? [node] : [])])];
	// The service does not filter by node: of what was read, those that are elsewhere are not shown.
	const shown = node ? { ...list, rows: list.rows.filter(({ current_step_id }) => current_step_id === node) } : list;
	const set = (name: string, value: string) =>
		setSearch((now) => {
			if (value) now.set(name, value);
			else now.delete(name);
			return now;
		});
	return (
		<>
			<WorkflowHead id={id} workflow={workflow.data} />
			<div className="filters">
				<Choice
					label={w.workflows.status}
					value={status}
					onChange={(event) => set('status', event.target.value)}
					options={[{ value: '', name: w.workflows.anyStatus }, ...executionStatuses.map((value) => ({ value, name: w.workflows.state[value] }))]}
				/>
				<Choice
					label={w.workflows.node}
					value={node}
					onChange={(event) => set('node', event.target.value)}
					options={[{ value: '', name: w.workflows.anyNode }, ...choices.map((value) => ({ value, name: stepNameOf(nodes, value) }))]}
				/>
				<div className="row">
					<Button busy={list.isRefetching} onClick={() => void list.refetch()}>
						{w.workflows.refresh}
					</Button>
				</div>
			</div>
			<ListTable
				label={w.workflows.executions}
				list={shown}
				id={({ execution_id }) => execution_id}
				empty={
					<Empty title={w.workflows.noExecutions}>
						<p>{status || node ? w.workflows.noneFits : w.workflows.noExecutionsText}</p>
					</Empty>
				}
				columns={[
					{ name: w.workflows.person, cell: ({ execution_id, email }) => <Link to={`/workflows/${id}/executions/${execution_id}`}>{email}</Link> },
					{ name: w.workflows.status, cell: ({ status }) => <ExecutionBadge status={status} /> },
					{
						name: w.workflows.standsAt,
						cell: ({ current_step_id, error }) => (
							<>
								{stepNameOf(nodes, current_step_id)}
								{error && <p className="reply">{whyText(error.message)}</p>}
							</>
						),
					},
					{ name: w.workflows.waitUntil, minor: true, cell: ({ wait_until }) => <Time at={wait_until} /> },
					{ name: w.workflows.version, minor: true, cell: ({ version_used }) => version_used },
					{ name: w.workflows.began, minor: true, cell: ({ created_at }) => <Time at={created_at} /> },
				]}
			/>
		</>
	);
}
