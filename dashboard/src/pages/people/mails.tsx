// SPDX-License-Identifier: MIT
// Every mail of a person: those of programs, of workflows and of broadcasts.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { nameUse } from '../../api/choices';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { mailsUse, workflowNamesQuery, type Mail } from './query';

export function Mails({ email }: { email: string }) {
	const list = mailsUse(email);
	const broadcast = nameUse('broadcasts');
	const workflows = useQuery(workflowNamesQuery).data;
	const of = ({ broadcast_id, workflow_id }: Mail) =>
		broadcast_id ? <Link to={`/broadcasts/${broadcast_id}`}>{broadcast(broadcast_id)}</Link> : workflow_id ? <Link to={`/workflows/${workflow_id}`}>{workflows?.get(workflow_id) ?? w.workflows.workflow}</Link> : null;
	return (
		<ListTable
			label={w.people.emails}
			list={list}
			id={({ email_id, broadcast_id, timestamp }) => `${email_id ?? broadcast_id} ${timestamp}`}
			empty={<Empty title={w.emails.empty} />}
			columns={[
				{ name: w.emails.subject, cell: ({ email_id, subject }) => (email_id ? <Link to={`/emails/${email_id}`}>{subject || w.emails.noSubject}</Link> : subject || w.emails.noSubject) },
				{
					name: w.emails.kind,
					cell: (mail) => (
						<>
							{mail.type === 'broadcast' ? w.broadcasts.broadcast : w.emails[mail.type]} <span className="soft">{of(mail)}</span>
						</>
					),
				},
				{ name: w.emails.status, cell: ({ status }) => statusText(status) },
				{ name: w.emails.when, minor: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
			]}
		/>
	);
}

const statusText = (status: string | null) => (status === null ? '–' : ((w.event as Record<string, string>)[status] ?? (w.broadcasts.ends as Record<string, string>)[status] ?? status));
