// SPDX-License-Identifier: MIT
// Received mail: the list, newest first.
import { Link } from 'wouter';
import { Badge } from '../../parts/badge';
import { Choice, Field } from '../../parts/field';
import { FilterForm, filtersUse } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { filterNames, receivedUse } from './query';

export default function Received() {
	const of = filtersUse(filterNames);
	const list = receivedUse(of.filters);
	return (
		<>
			<Head title={w.received.name} text={w.received.text} />
			<FilterForm of={of}>
				<Field label={w.received.from} name="from" defaultValue={of.filters.from} />
				<Field label={w.received.to} name="to" defaultValue={of.filters.to} />
				<Choice
					label={w.received.writer}
					name="automatic"
					defaultValue={of.filters.automatic ?? ''}
					options={[{ value: '', name: w.received.anybody }, { value: 'false', name: w.received.human }, { value: 'true', name: w.received.program }]}
				/>
				<Field label={w.emails.since} name="since" type="date" defaultValue={of.filters.since} />
				<Field label={w.emails.until} name="until" type="date" defaultValue={of.filters.until} />
			</FilterForm>
			<SavedFilters list="received" of={of} />
			<ListTable
				label={w.received.name}
				list={list}
				id={({ id }) => id}
				empty={
					of.isSet ? (
						<Empty title={w.state.nothingFits} />
					) : (
						<Empty title={w.received.empty}>
							<p>{w.received.emptyText}</p>
						</Empty>
					)
				}
				columns={[
					{ name: w.received.from, cell: ({ from }) => from ?? '–' },
					{ name: w.received.subject, cell: ({ id, subject }) => <Link to={`/received/${id}`}>{subject || w.emails.noSubject}</Link> },
					{ name: w.received.to, minor: true, cell: ({ recipients }) => recipients.join(', ') },
					{
						name: w.received.writer,
						minor: true,
						cell: ({ automatic, email_id }) => (
							<>
								{automatic && <Badge>{w.received.automatic[automatic]}</Badge>} {email_id && <Badge tone="info">{w.received.answer}</Badge>}
							</>
						),
					},
					{ name: w.received.when, cell: ({ created }) => <Time at={created} /> },
				]}
			/>
		</>
	);
}
