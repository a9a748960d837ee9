// SPDX-License-Identifier: MIT
// What happened to a person, newest first: choices, emails, events.
import { Link } from 'wouter';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { historyUse, type HistoryRow } from './query';

export function History({ email }: { email: string }) {
	const list = historyUse(email);
	return (
		<section className="section">
			<h2>{w.people.history}</h2>
			<ListTable
				label={w.people.history}
				list={list}
				id={(row) => `${row.timestamp} ${row.type} ${JSON.stringify(row.about)}`}
				empty={<Empty title={w.people.historyEmpty} />}
				columns={[
					{ name: w.people.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
					{ name: w.people.what, cell: (row) => <What of={row} /> },
					{ name: w.people.by, minor: true, cell: ({ by, source }) => [by && w.people.actor[by], source].filter(Boolean).join(', ') || '–' },
				]}
			/>
		</section>
	);
}

const words = (type: string) => (w.people.did as Record<string, string>)[type] ?? (w.event as Record<string, string>)[type] ?? type;

function What({ of: { type, about, reason } }: { of: HistoryRow }) {
	return (
		<>
			{about.email_id ? <Link to={`/emails/${about.email_id}`}>{words(type)}</Link> : words(type)} {about.event_name && <code>{about.event_name}</code>}
			{(about.link ?? reason) && <p className="reply">{about.link ?? reason}</p>}
		</>
	);
}
