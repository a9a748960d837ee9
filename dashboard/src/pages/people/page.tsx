// SPDX-License-Identifier: MIT
// People: one for each address; the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { listPath } from '../../api/bulk';
import { mayChangeUse } from '../../api/session';
import { Bulk } from '../../parts/bulk';
import { FormButton } from '../../parts/dialog';
import { ExportButton } from '../../parts/export';
import { Choice, Field, said } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { Pick, pickedUse } from '../../parts/picked';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { peopleColumns } from './columns';
import { peopleFilters, peoplePage, peopleQuery, peopleStatuses, peopleUse, personAdd, type PersonRow } from './query';
import { Subscribed } from './subscribed';

const file = { name: 'people.csv', columns: peopleColumns };

export default function People() {
	const of = filtersUse(peopleFilters);
	const list = peopleUse(of.filters);
	const picked = pickedUse(of.filters, ({ id }: PersonRow) => id);
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.people.name} text={w.people.text}>
				<Link className="button" to="/people/import">
					{w.imports.name}
				</Link>
				<ExportButton path="/v1/people" page={(cursor) => peoplePage({}, cursor)} file={file} />
				{may && <Add />}
			</Head>
			<FilterForm of={of}>
				<SearchField label={w.do.search} now={of.filters.search} />
				<Choice
					label={w.people.state}
					name="status"
					defaultValue={of.filters.status ?? ''}
					options={[{ value: '', name: w.audiences.anyState }, ...peopleStatuses.map((value) => ({ value, name: w.people[value] }))]}
				/>
				<Choice
					label={w.filters.order}
					help={w.people.orderHelp}
					name="sort"
					defaultValue={of.filters.sort ?? ''}
					options={[{ value: '', name: w.filters.newest }, { value: 'email', name: w.filters.byAddress }]}
				/>
			</FilterForm>
			<SavedFilters list="people" of={of} />
			<Bulk
				of={picked}
				list={list}
				path={listPath('/v1/people', peopleQuery(of.filters))}
				page={(cursor) => peoplePage(of.filters, cursor)}
				emails={({ email }) => [email]}
				file={file}
				actions={['add', 'remove', 'join', 'leave', 'suppress', 'erase']}
			/>
			<ListTable
				label={w.people.name}
				list={list}
				id={({ id }) => id}
				empty={
					of.isSet ? (
						<Empty title={w.state.nothingFits} />
					) : (
						<Empty title={w.people.empty}>
							<p>{w.people.emptyText}</p>
						</Empty>
					)
				}
				columns={[
					{
						name: w.people.email,
						cell: (person) => (
							<>
								<Pick of={picked} row={person} name={person.email} />
								<Link to={`/people/${encodeURIComponent(person.email)}`}>{person.email}</Link>
							</>
						),
					},
					{ name: w.people.person, cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') || '–' },
					{ name: w.people.state, cell: (person) => <Subscribed of={person} /> },
					{ name: w.people.language, minor: true, cell: ({ language }) => language ?? '–' },
					{ name: w.people.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
				]}
			/>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	return (
		<FormButton
			fresh
			name={w.people.add}
			title={w.people.add}
			action={w.do.add}
			onSubmit={async (values) => {
				const language = said(values, 'language');
				await personAdd({
					email: said(values, 'email'),
					first_name: said(values, 'first') || null,
					last_name: said(values, 'last') || null,
					...(language ? { language } : {}),
				});
				void data.invalidateQueries({ queryKey: ['people'] });
			}}
		>
			<Field label={w.people.email} name="email" type="email" required />
			<Field label={w.people.firstName} name="first" />
			<Field label={w.people.lastName} name="last" />
			<Field label={w.people.language} name="language" placeholder="en, de-AT" />
		</FormButton>
	);
}
