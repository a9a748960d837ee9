// SPDX-License-Identifier: MIT
// Each recipient of a broadcast, and what became of their message.
import { useState } from 'react';
import { Link } from 'wouter';
import { Choice } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { recipientsUse, type RecipientStatus } from './query';
import { End } from './status';

const statuses = ['pending', 'sent', 'delivered', 'delayed', 'bounced', 'complained', 'failed', 'skipped', 'cancelled'] as const satisfies RecipientStatus[];

export function Recipients({ id }: { id: string }) {
	const [status, setStatus] = useState<RecipientStatus | ''>('');
	const list = recipientsUse(id, status);
	return (
		<section className="section" aria-label={w.broadcasts.recipients}>
			<h2>{w.broadcasts.recipients}</h2>
			<Choice
				label={w.broadcasts.status}
				value={status}
				onChange={(event) => setStatus(event.target.value as RecipientStatus | '')}
				options={[{ value: '', name: w.broadcasts.anyStatus }, ...statuses.map((value) => ({ value, name: w.broadcasts.ends[value] }))]}
			/>
			<ListTable
				label={w.broadcasts.recipients}
				list={list}
				id={({ email, due, sent_at }) => `${email} ${due} ${sent_at}`}
				empty={<Empty title={w.broadcasts.noRecipients} />}
				columns={[
					{ name: w.people.email, cell: ({ email }) => (email ? <Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link> : <span className="soft">{w.suppressions.erased}</span>) },
					{
						name: w.broadcasts.status,
						cell: ({ status, reason }) => (
							<>
								<End of={status} /> {reason && <span className="soft">{w.broadcasts.reasons[reason]}</span>}
							</>
						),
					},
					{ name: w.figure.opened, minor: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
					{ name: w.figure.clicked, minor: true, cell: ({ clicked_at }) => <Time at={clicked_at} /> },
				]}
			/>
		</section>
	);
}
