// SPDX-License-Identifier: MIT
// One audience and who is in it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { listPath } from '../../api/bulk';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { Bulk } from '../../parts/bulk';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { noticeUse } from '../../parts/notice';
import { Pick, pickedUse } from '../../parts/picked';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { Membership } from './membership';
import { OptIn } from './opt-in';
import { audienceDelete, audienceQuery, audienceRename, contactAdd, contactFilters, contactsPage, contactStatuses, contactsUse, type Contact } from './query';

export default function AudiencePage({ params: { id } }: { params: Record<string, string> }) {
	const audience = useQuery(audienceQuery(id)).data;
	const of = filtersUse(contactFilters);
	const list = contactsUse(id, of.filters);
	const picked = pickedUse([id, of.filters], (one: Contact) => one.id);
	const may = mayChangeUse();
	return (
		<>
			<Head
				title={audience?.name ?? w.audiences.audience}
				text={audience && w.audiences.counts(audience.contact_count, audience.unsubscribers)}
				back={{ to: '/audiences', name: w.audiences.name }}
			>
				{may && audience && <Actions id={id} name={audience.name} />}
			</Head>
			{/* It comes with the rest: the head grows by what it does not know yet. */}
			<div>
				<FilterForm of={of}>
					<SearchField label={w.do.search} now={of.filters.search} />
					<Choice
						label={w.people.state}
						name="status"
						defaultValue={of.filters.status ?? ''}
						options={[{ value: '', name: w.audiences.anyState }, ...contactStatuses.map((value) => ({ value, name: w.people[value] }))]}
					/>
				</FilterForm>
			</div>
			<SavedFilters list="contacts" of={of} />
			<Bulk
				of={picked}
				list={list}
				path={listPath(`/v1/audiences/${id}/contacts`, of.filters)}
				page={(cursor) => contactsPage(id, of.filters, cursor)}
				emails={({ email }) => [email]}
				file={{ name: 'contacts.csv', columns: contactsColumns }}
				actions={['remove', 'add', 'join', 'leave', 'suppress', 'erase']}
				audience={id}
			/>
			<ListTable
				label={w.audiences.members}
				list={list}
				id={({ id }) => id}
				empty={
					of.isSet ? (
						<Empty title={w.state.nothingFits} />
					) : (
						<Empty title={w.audiences.noMembers}>{may && <Link to={`/people/import?audience=${id}`}>{w.steps.people}</Link>}</Empty>
					)
				}
				columns={[
					{
						name: w.people.email,
						cell: (contact) => (
							<>
								<Pick of={picked} row={contact} name={contact.email} />
								<Link to={`/people/${encodeURIComponent(contact.email)}`}>{contact.email}</Link>
							</>
						),
					},
					{ name: w.people.person, cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') || '–' },
					{ name: w.people.state, cell: ({ state }) => <Badge tone={state === 'subscribed' ? 'good' : 'warn'}>{w.people[state]}</Badge> },
					{ name: w.people.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
					{ name: w.audiences.take, actions: true, cell: (contact) => may && <Membership audience={id} contact={contact.id} email={contact.email} status={contact.state} /> },
				]}
			/>
		</>
	);
}

const contactsColumns = () => [
	{ name: 'email', value: ({ email }: Contact) => email },
	{ name: 'first_name', value: ({ first_name }: Contact) => first_name ?? '' },
	{ name: 'last_name', value: ({ last_name }: Contact) => last_name ?? '' },
	{ name: 'subscribed', value: ({ is_subscribed }: Contact) => String(is_subscribed) },
];

function Actions({ id, name }: { id: string; name: string }) {
	const data = useQueryClient();
	const notice = noticeUse();
	const [, go] = useLocation();
	const remove = changeUse(() => audienceDelete(id), { touches: [['audiences']], done: w.audiences.removed, then: () => go('/audiences') });
	return (
		<>
			<FormButton
				name={w.audiences.addMember}
				title={w.audiences.addMember}
				action={w.do.add}
				onSubmit={async (values) => {
					await contactAdd(id, { email: said(values, 'email'), first_name: said(values, 'first') || null, last_name: said(values, 'last') || null });
					void data.invalidateQueries({ queryKey: ['contacts', id] });
					void data.invalidateQueries({ queryKey: ['audience', id] });
				}}
			>
				<Field label={w.people.email} name="email" type="email" required />
				<Field label={w.people.firstName} name="first" />
				<Field label={w.people.lastName} name="last" />
			</FormButton>
			<FormButton
				look="plain"
				name={w.audiences.rename}
				title={w.audiences.rename}
				action={w.do.save}
				onSubmit={async (values) => {
					await audienceRename(id, said(values, 'name'));
					for (const queryKey of [['audience', id], ['audiences']]) void data.invalidateQueries({ queryKey });
					notice(w.audiences.renamed);
				}}
			>
				<Field label={w.audiences.audience} name="name" maxLength={100} defaultValue={name} required />
			</FormButton>
			<OptIn id={id} />
			<ConfirmButton name={w.audiences.remove} title={w.audiences.removeTitle(name)} text={w.audiences.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}
