// SPDX-License-Identifier: MIT
// Every mail of a person: those of programs, of workflows and of broadcasts.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { nameUse } from '../../api/choices';
import { Badge } from '../../parts/badge';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import type { EventStatus } from '../emails/query';
import { toneOf } from '../emails/status';
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
				{ name: w.emails.status, cell: ({ status }) => <Status of={status} /> },
				{ name: w.emails.when, minor: true, cell: ({ timestamp }) => <Time at={timestamp} /> },
			]}
		/>
	);
}

function Status({ of }: { of: string }) {
	if (of in w.event) return <Badge tone={toneOf[of as EventStatus]}>{w.event[of as EventStatus]}</Badge>;
	return <Badge>{(w.people.mailStates as Record<string, string>)[of] ?? of}</Badge>;
}
