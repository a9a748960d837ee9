// SPDX-License-Identifier: MIT
// The ways of a person through workflows, those under way and those that ended.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { ExecutionBadge } from '../workflows/status';
import { executionStatuses, executionsUse, workflowNamesQuery, type ExecutionStatus } from './query';

export function Executions({ email }: { email: string }) {
	const [status, setStatus] = useState<ExecutionStatus | undefined>();
	const list = executionsUse(email, status);
	const names = useQuery(workflowNamesQuery).data;
	return (
		<>
		<div className="filters">
			<Choice
				label={w.workflows.status}
				value={status ?? ''}
				onChange={({ target }) => setStatus(executionStatuses.find((one) => one === target.value))}
				options={[{ value: '', name: w.workflows.anyStatus }, ...executionStatuses.map((value) => ({ value, name: w.workflows.state[value] }))]}
			/>
		</div>
		<ListTable
			label={w.workflows.executions}
			list={list}
			id={({ execution_id }) => execution_id}
			empty={<Empty title={status ? w.workflows.noneFits : w.workflows.noExecutions} />}
			columns={[
				{ name: w.workflows.workflow, cell: ({ workflow_id, execution_id }) => <Link to={`/workflows/${workflow_id}/executions/${execution_id}`}>{names?.get(workflow_id) ?? w.workflows.workflow}</Link> },
				{ name: w.workflows.status, cell: ({ status }) => <ExecutionBadge status={status} /> },
				{ name: w.workflows.began, cell: ({ created_at }) => <Time at={created_at} /> },
				{ name: w.workflows.ended, minor: true, cell: ({ completed_at }) => <Time at={completed_at} /> },
			]}
		/>
		</>
	);
}
