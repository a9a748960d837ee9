// SPDX-License-Identifier: MIT
// The emails that a workflow has sent.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { WorkflowHead } from './head';
import { workflowEmailsUse, workflowQuery } from './query';

export default function WorkflowEmails({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	return (
		<>
			<WorkflowHead id={id} workflow={workflow.data} />
			<ListTable
				label={w.workflows.emails}
				list={workflowEmailsUse(id)}
				id={({ email_id }) => email_id}
				empty={
					<Empty title={w.workflows.noEmails}>
						<p>{w.workflows.noEmailsText}</p>
					</Empty>
				}
				columns={[
					{ name: w.workflows.person, cell: ({ email_id, recipient }) => <Link to={`/emails/${email_id}`}>{recipient}</Link> },
					{ name: w.workflows.subject, cell: ({ subject }) => subject },
					{ name: w.workflows.lastEvent, cell: ({ events }) => eventName(events.at(-1)?.status) },
					{ name: w.workflows.execution, minor: true, cell: ({ execution_id }) => <Link to={`/workflows/${id}/executions/${execution_id}`}>{w.workflows.execution}</Link> },
					{ name: w.workflows.began, minor: true, cell: ({ created_at }) => <Time at={created_at} /> },
				]}
			/>
		</>
	);
}

const eventName = (status: string | undefined) => (status ? ((w.event as Record<string, string>)[status] ?? status) : '–');
