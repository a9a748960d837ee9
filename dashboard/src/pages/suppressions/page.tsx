// SPDX-License-Identifier: MIT
// Suppressions: addresses that get no more mail.
import { useQueryClient } from '@tanstack/react-query';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { FilterForm, filtersUse, SearchField } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { suppressionAdd, suppressionRemove, suppressionsUse, type Suppression } from './query';

const tones: Record<Suppression['reason'], Tone> = { bounced: 'bad', complained: 'bad', unsubscribed: 'warn', manual: 'calm' };

export default function Suppressions() {
	const of = filtersUse(['search']);
	const list = suppressionsUse(of.filters.search);
	const may = mayChangeUse();
	return (
		<>
			<Head title={w.suppressions.name} text={w.suppressions.text}>
				{may && <Add />}
			</Head>
			<FilterForm of={of}>
				<SearchField label={w.do.search} now={of.filters.search} />
			</FilterForm>
			<ListTable
				label={w.suppressions.name}
				list={list}
				id={({ email, created }) => `${email} ${created}`}
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
					{ name: w.suppressions.email, cell: ({ email }) => email ?? <span className="soft">{w.suppressions.erased}</span> },
					{ name: w.suppressions.reason, cell: ({ reason }) => <Badge tone={tones[reason]}>{w.suppressions[reason]}</Badge> },
					{ name: w.suppressions.scope, minor: true, cell: ({ scope }) => w.suppressions[scope] },
					{ name: w.suppressions.created, minor: true, cell: ({ created }) => <Time at={created} /> },
					{ name: w.suppressions.remove, actions: true, cell: ({ email }) => may && email && <Remove email={email} /> },
				]}
			/>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	return (
		<FormButton
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
