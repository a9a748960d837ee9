// SPDX-License-Identifier: MIT
// Segments: people by what is known of them.
import { Link } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { segmentsUse } from './query';
import { ruleCount, stored } from './rule';

export default function Segments() {
	const list = segmentsUse();
	return (
		<>
			<Head title={w.segments.name} text={w.segments.text}>
				{mayChangeUse() && (
					<Link className="button main" to="/segments/new">
						{w.segments.add}
					</Link>
				)}
			</Head>
			<ListTable
				label={w.segments.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.segments.empty}>
						<p>{w.segments.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.segments.segment, cell: ({ id, name }) => <Link to={`/segments/${id}`}>{name}</Link> },
					{
						name: w.segments.kind,
						cell: ({ frozen_at, count, rules }) =>
							frozen_at ? <Badge>{w.segments.frozenWith(count ?? 0)}</Badge> : w.segments.ruleCount(ruleCount(stored(rules))),
					},
					{ name: w.segments.updated, minor: true, cell: ({ updated }) => <Time at={updated} /> },
					{ name: w.segments.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
				]}
			/>
		</>
	);
}
