// SPDX-License-Identifier: MIT
// Broadcasts: the list, and a new draft.
import { Link, useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { Head } from '../../parts/head';
import { newUse } from '../../parts/new';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { broadcastAdd, broadcastsUse } from './query';
import { Status } from './status';

export default function Broadcasts() {
	const list = broadcastsUse();
	const [, go] = useLocation();
	const add = changeUse(broadcastAdd, { touches: [['broadcasts']], then: ({ id }) => go(`/broadcasts/${id}`) });
	const may = mayChangeUse();
	newUse(may ? () => add.mutate() : undefined);
	return (
		<>
			<Head title={w.broadcasts.name} text={w.broadcasts.text}>
				{may && (
					<Button look="main" busy={add.isPending} onClick={() => add.mutate()}>
						{w.broadcasts.add}
					</Button>
				)}
			</Head>
			<ListTable
				label={w.broadcasts.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.broadcasts.empty}>
						<p>{w.broadcasts.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.broadcasts.broadcast, cell: ({ id, name }) => <Link to={`/broadcasts/${id}`}>{name}</Link> },
					{ name: w.broadcasts.status, cell: ({ status }) => <Status of={status} /> },
					{ name: w.broadcasts.when, minor: true, cell: ({ started_at, scheduled_at, local_time }) => (local_time && !started_at ? local_time.replace('T', ' ') : <Time at={started_at ?? scheduled_at} />) },
					{ name: w.broadcasts.recipients, cell: ({ counts }) => numberText(counts.recipients) },
					{ name: w.broadcasts.sent, minor: true, cell: ({ counts }) => numberText(counts.sent) },
				]}
			/>
		</>
	);
}
