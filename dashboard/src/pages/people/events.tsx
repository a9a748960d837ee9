// SPDX-License-Identifier: MIT
// The events of a person, newest first, each with its data.
import { useState } from 'react';
import { Button } from '../../parts/button';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { valueShown } from './edit';
import { eventsUse } from './query';

export function Events({ email }: { email: string }) {
	return (
		<ListTable
			label={w.people.kinds.event}
			list={eventsUse(email)}
			id={({ event_id }) => event_id}
			empty={
				<Empty title={w.people.noEvents}>
					<p>{w.people.noEventsText}</p>
				</Empty>
			}
			columns={[
				{ name: w.people.did.event, cell: ({ event_name }) => <code>{event_name}</code> },
				{ name: w.people.data, cell: ({ properties }) => <Data of={properties} /> },
				{ name: w.people.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
			]}
		/>
	);
}

/** So many properties are seen at once. */
const few = 5;

function Data({ of }: { of: Record<string, unknown> }) {
	const [whole, setWhole] = useState(false);
	const all = Object.entries(of);
	if (!all.length) return <span className="soft">–</span>;
	return (
		<>
			<dl className="facts">
				{(whole ? all : all.slice(0, few)).map(([key, value]) => (
					<div key={key} className="fact">
						<dt>{key}</dt>
						<dd>{valueShown(value)}</dd>
					</div>
				))}
			</dl>
			{!whole && all.length > few && (
				<Button look="quiet" onClick={() => setWhole(true)}>
					{w.do.more}
				</Button>
			)}
		</>
	);
}
