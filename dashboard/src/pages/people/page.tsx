// SPDX-License-Identifier: MIT
// People: one for each address; the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { Export } from './export';
import { peopleUse, personAdd } from './query';
import { Subscribed } from './subscribed';

export default function People() {
	const of = filtersUse(['search']);
	const list = peopleUse(of.filters.search);
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.people.name} text={w.people.text}>
				<Link className="button" to="/people/import">
					{w.imports.name}
				</Link>
				<Export />
				{may && <Add />}
			</Head>
			<FilterForm of={of}>
				<SearchField label={w.do.search} now={of.filters.search} />
			</FilterForm>
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
					{ name: w.people.email, cell: ({ email }) => <Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link> },
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
