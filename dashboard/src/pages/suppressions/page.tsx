// SPDX-License-Identifier: MIT
// Suppressions: addresses that get no more mail.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { listPath } from '../../api/bulk';
import type { List } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { Bulk } from '../../parts/bulk';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { Pick, pickedUse, type Picked } from '../../parts/picked';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty, Ready } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { filterNames, reasons, scopes, suppressionAdd, suppressionQuery, suppressionRemove, suppressionsPage, suppressionsQuery, suppressionsUse, type Suppression } from './query';

const tones: Record<Suppression['reason'], Tone> = { bounced: 'bad', complained: 'bad', unsubscribed: 'warn', manual: 'calm' };

export default function Suppressions() {
	const of = filtersUse(filterNames);
	const list = suppressionsUse(of.filters);
	const picked = pickedUse(of.filters, idOf);
	const may = mayChangeUse();
	const sought = soughtOf(of.filters.search, list);
	return (
		<>
			<Head title={w.suppressions.name} text={w.suppressions.text}>
				{may && <Add />}
			</Head>
			<FilterForm of={of}>
				<SearchField label={w.do.search} now={of.filters.search} />
				<Choice
					label={w.suppressions.reason}
					name="reason"
					defaultValue={of.filters.reason ?? ''}
					options={[{ value: '', name: w.suppressions.anyReason }, ...reasons.map((value) => ({ value, name: w.suppressions[value] }))]}
				/>
				<Choice
					label={w.suppressions.scope}
					name="scope"
					defaultValue={of.filters.scope ?? ''}
					options={[{ value: '', name: w.suppressions.anyScope }, ...scopes.map((value) => ({ value, name: w.suppressions[value] }))]}
				/>
				<Choice
					label={w.filters.order}
					help={w.suppressions.orderHelp}
					name="sort"
					defaultValue={of.filters.sort ?? ''}
					options={[{ value: '', name: w.filters.newest }, { value: 'email', name: w.filters.byAddress }]}
				/>
			</FilterForm>
			<SavedFilters list="suppressions" of={of} />
			<Bulk
				of={picked}
				list={list}
				path={listPath('/v1/suppressions', suppressionsQuery(of.filters))}
				page={(cursor) => suppressionsPage(of.filters, cursor)}
				emails={({ email }) => (email ? [email] : [])}
				file={{ name: 'suppressions.csv', columns: fileColumns }}
				actions={['unsuppress', 'add', 'remove', 'join', 'leave', 'erase']}
			/>
			<ListTable
				label={w.suppressions.name}
				list={list}
				id={idOf}
				empty={
					of.isSet ? (
						<Empty title={w.state.nothingFits} />
					) : (
						<Empty title={w.suppressions.empty}>
							<p>{w.suppressions.emptyText}</p>
						</Empty>
					)
				}
				columns={[
					{ name: w.suppressions.email, cell: (one) => (one.email ? <Address picked={picked} of={one} email={one.email} /> : <span className="soft">{w.suppressions.erased}</span>) },
					{ name: w.suppressions.reason, cell: ({ reason }) => <Badge tone={tones[reason]}>{w.suppressions[reason]}</Badge> },
					{ name: w.suppressions.scope, minor: true, cell: ({ scope }) => w.suppressions[scope] },
					{ name: w.suppressions.created, minor: true, cell: ({ created }) => <Time at={created} /> },
					{ name: w.suppressions.remove, actions: true, cell: ({ email }) => may && email && <Remove email={email} /> },
				]}
			/>
			{sought && <Sought email={sought} />}
		</>
	);
}

/** The whole address that was searched for and that the list does not have: of an erased person, the service knows it by a hash alone. */
function soughtOf(search: string | undefined, { rows, data, hasNextPage }: List<Suppression>) {
	if (!search || !/^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(search) || !data || hasNextPage) return null;
	return rows.some(({ email }) => email?.toLowerCase() === search.toLowerCase()) ? null : search;
}

function Sought({ email }: { email: string }) {
	const entry = useQuery(suppressionQuery(email));
	const may = mayChangeUse();
	return (
		<section className="card">
			<h2 className="address">{email}</h2>
			<Ready of={entry}>
				{(entry) =>
					entry ? (
						<div className="bar">
							<span>
								<Badge tone={tones[entry.reason]}>{w.suppressions[entry.reason]}</Badge> {w.suppressions.stops(w.suppressions[entry.scope])}, <Time at={entry.created} />{' '}
								{entry.email === null && <span className="soft">{w.suppressions.byHash}</span>}
							</span>
							{may && <Remove email={email} />}
						</div>
					) : (
						<p>{w.suppressions.notFound}</p>
					)
				}
			</Ready>
		</section>
	);
}

const idOf = ({ email, created }: Suppression) => `${email} ${created}`;

const fileColumns = () => [
	{ name: 'email', value: ({ email }: Suppression) => email ?? '' },
	{ name: 'reason', value: ({ reason }: Suppression) => reason },
	{ name: 'scope', value: ({ scope }: Suppression) => scope },
	{ name: 'created', value: ({ created }: Suppression) => new Date(created).toISOString() },
];

function Address({ picked, of, email }: { picked: Picked<Suppression>; of: Suppression; email: string }) {
	return (
		<>
			<Pick of={picked} row={of} name={email} />
			<Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	return (
		<FormButton
			fresh
			name={w.suppressions.add}
			title={w.suppressions.add}
			action={w.do.add}
			onSubmit={async (values) => {
				await suppressionAdd({ email: said(values, 'email'), scope: said(values, 'scope') as Suppression['scope'] });
				void data.invalidateQueries({ queryKey: ['suppressions'] });
			}}
		>
			<Field label={w.suppressions.email} name="email" type="email" required />
			<Choice
				label={w.suppressions.scope}
				name="scope"
				options={[{ value: 'all', name: w.suppressions.all }, { value: 'automation', name: w.suppressions.automation }]}
			/>
		</FormButton>
	);
}

function Remove({ email }: { email: string }) {
	const data = useQueryClient();
	return (
		<FormButton
			look="quiet"
			name={w.suppressions.remove}
			title={w.suppressions.removeTitle(email)}
			action={w.suppressions.remove}
			onSubmit={async (values) => {
				await suppressionRemove(email, said(values, 'why'));
				void data.invalidateQueries({ queryKey: ['suppressions'] });
			}}
		>
			<p>{w.suppressions.removeText}</p>
			<Field label={w.suppressions.why} name="why" maxLength={500} />
		</FormButton>
	);
}
