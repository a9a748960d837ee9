// SPDX-License-Identifier: MIT
// Emails: the list, with filters that stand in the address.
import { Link } from 'wouter';
import { listPath } from '../../api/bulk';
import { Bulk } from '../../parts/bulk';
import { Choice, Field } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { Pick, pickedUse, type Picked } from '../../parts/picked';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { emailsPage, emailsUse, filterNames, mailKinds, statuses, type EmailRow, type EventStatus } from './query';
import { Status } from './status';

export default function Emails() {
	const of = filtersUse(filterNames);
	const { filters } = of;
	const list = emailsUse(filters);
	const picked = pickedUse(filters, ({ id }: EmailRow) => id);
	return (
		<>
			<Head title={w.emails.name} text={w.emails.text} />
			<FilterForm of={of}>
				<SearchField label={w.emails.search} now={filters.search} />
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
			</FilterForm>
			<SavedFilters list="emails" of={of} />
			<Bulk
				of={picked}
				list={list}
				path={listPath('/v1/emails', filters)}
				page={(cursor) => emailsPage(filters, cursor)}
				emails={({ to }) => to}
				fit={w.bulk.fitEmails}
				file={{ name: 'emails.csv', columns: fileColumns }}
				actions={['add', 'remove', 'join', 'leave', 'suppress', 'erase']}
			/>
			<ListTable
				label={w.emails.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.emails.empty}>
						<p>{of.isSet ? w.emails.emptyFilter : w.emails.emptyText}</p>
						{!of.isSet && <Link to="/templates">{w.templates.name}</Link>}
					</Empty>
				}
				columns={[
					{ name: w.emails.to, cell: (email) => <To picked={picked} of={email} /> },
					{ name: w.emails.status, cell: ({ last_event }) => <Status of={last_event?.status as EventStatus} /> },
					{ name: w.emails.subject, cell: ({ subject }) => subject || <span className="soft">{w.emails.noSubject}</span> },
					{ name: w.emails.when, minor: true, cell: ({ email_sent_timestamp }) => <Time at={email_sent_timestamp} /> },
				]}
			/>
		</>
	);
}

const recipients = (to: string[]) => (to.length > 1 ? `${to[0]} ${w.emails.more(to.length - 1)}` : (to[0] ?? '–'));

const fileColumns = () => [
	{ name: 'id', value: ({ id }: EmailRow) => id },
	{ name: 'to', value: ({ to }: EmailRow) => to.join(' ') },
	{ name: 'subject', value: ({ subject }: EmailRow) => subject },
	{ name: 'status', value: ({ last_event }: EmailRow) => last_event?.status ?? '' },
	{ name: 'sent', value: ({ email_sent_timestamp }: EmailRow) => (email_sent_timestamp ? new Date(email_sent_timestamp).toISOString() : '') },
];

function To({ picked, of }: { picked: Picked<EmailRow>; of: EmailRow }) {
	return (
		<>
			<Pick of={picked} row={of} name={recipients(of.to)} />
			<Link to={`/emails/${of.id}`}>{recipients(of.to)}</Link>
		</>
	);
}
