// SPDX-License-Identifier: MIT
// Emails: the list, with filters that stand in the address.
import type { FormEvent } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Button } from '../../parts/button';
import { Choice, Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { emailsUse, filterNames, mailKinds, statuses, type EventStatus, type Filters } from './query';
import { Status } from './status';

export default function Emails() {
	const [search, setSearch] = useSearchParams();
	const filters: Filters = Object.fromEntries(filterNames.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : [])));
	const list = emailsUse(filters);
	return (
		<>
			<Head title={w.emails.name} text={w.emails.text} />
			<FilterForm key={search.toString()} filters={filters} onChange={(next) => setSearch(next as Record<string, string>)} />
			<ListTable
				label={w.emails.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.emails.empty}>
						<p>{Object.keys(filters).length ? w.emails.emptyFilter : w.emails.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.emails.to, cell: ({ id, to }) => <Link to={`/emails/${id}`}>{recipients(to)}</Link> },
					{ name: w.emails.status, cell: ({ last_event }) => <Status of={last_event?.status as EventStatus} /> },
					{ name: w.emails.subject, cell: ({ subject }) => subject || <span className="soft">{w.emails.noSubject}</span> },
					{ name: w.emails.when, minor: true, cell: ({ email_sent_timestamp }) => <Time at={email_sent_timestamp} /> },
				]}
			/>
		</>
	);
}

const recipients = (to: string[]) => (to.length > 1 ? `${to[0]} ${w.emails.more(to.length - 1)}` : (to[0] ?? '–'));

function FilterForm({ filters, onChange }: { filters: Filters; onChange: (filters: Filters) => void }) {
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		onChange(Object.fromEntries(filterNames.flatMap((name) => (said(values, name) ? [[name, said(values, name)]] : []))));
	};
	return (
		<form className="filters" onSubmit={submit} role="search">
			<Choice
				label={w.emails.status}
				name="status"
				defaultValue={filters.status ?? ''}
				options={[{ value: '', name: w.emails.any }, ...statuses.map((value) => ({ value, name: w.event[value] }))]}
			/>
			<Field label={w.emails.to} name="to" type="email" defaultValue={filters.to} />
			<Field label={w.emails.from} name="from" type="email" defaultValue={filters.from} />
			<Field label={w.emails.tag} name="tag" placeholder={w.emails.tagHelp} defaultValue={filters.tag} />
			<Choice
				label={w.emails.kind}
				name="type"
				defaultValue={filters.type ?? ''}
				options={[{ value: '', name: w.emails.anyKind }, ...mailKinds.map((value) => ({ value, name: w.emails[value] }))]}
			/>
			<Field label={w.emails.since} name="since" type="date" defaultValue={filters.since} />
			<Field label={w.emails.until} name="until" type="date" defaultValue={filters.until} />
			<div className="row">
				<Button type="submit">{w.do.filter}</Button>
				{Object.keys(filters).length > 0 && (
					<Button look="quiet" onClick={() => onChange({})}>
						{w.do.clear}
					</Button>
				)}
			</div>
		</form>
	);
}
