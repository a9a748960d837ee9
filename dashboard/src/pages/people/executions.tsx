// SPDX-License-Identifier: MIT
// The ways of a person through workflows, those under way and those that ended.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { ExecutionBadge } from '../workflows/status';
import { executionsUse, workflowNamesQuery } from './query';

export function Executions({ email }: { email: string }) {
	const list = executionsUse(email);
	const names = useQuery(workflowNamesQuery).data;
	return (
		<ListTable
			label={w.workflows.executions}
			list={list}
			id={({ execution_id }) => execution_id}
			empty={<Empty title={w.workflows.noExecutions} />}
			columns={[
				{ name: w.workflows.workflow, cell: ({ workflow_id, execution_id }) => <Link to={`/workflows/${workflow_id}/executions/${execution_id}`}>{names?.get(workflow_id) ?? w.workflows.workflow}</Link> },
				{ name: w.workflows.status, cell: ({ status }) => <ExecutionBadge status={status} /> },
				{ name: w.workflows.began, cell: ({ created_at }) => <Time at={created_at} /> },
				{ name: w.workflows.ended, minor: true, cell: ({ completed_at }) => <Time at={completed_at} /> },
			]}
		/>
	);
}
