// SPDX-License-Identifier: MIT
// Emails that wait for another attempt, with the reply that delayed them.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { delayedQuery } from './query';

export function Waiting() {
	const delayed = useQuery(delayedQuery).data ?? [];
	return (
		<section className="section" aria-labelledby="waits">
			<h2 id="waits">{w.overview.waits}</h2>
			{delayed.length === 0 ? (
				<p className="soft">{w.overview.waitsNone}</p>
			) : (
				<Table
					label={w.overview.waits}
					rows={delayed.slice(0, 10)}
					id={({ id }) => id}
					columns={[
						{ name: w.overview.delayedTo, cell: ({ id, to }) => <Link to={`/emails/${id}`}>{to.join(', ')}</Link> },
						{ name: w.overview.why, cell: ({ last_event }) => <span className="reply">{last_event?.smtp_response}</span> },
						{ name: w.overview.since, minor: true, cell: ({ last_event }) => <Time at={last_event?.timestamp} /> },
					]}
				/>
			)}
		</section>
	);
}
