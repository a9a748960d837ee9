// SPDX-License-Identifier: MIT
// Audiences: the lists of people.
import { useQueryClient } from '@tanstack/react-query';
import { Link } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { audienceAdd, audiencesUse } from './query';

export default function Audiences() {
	const list = audiencesUse();
	return (
		<>
			<Head title={w.audiences.name} text={w.audiences.text}>
				{mayChangeUse() && <Add />}
			</Head>
			<ListTable
				label={w.audiences.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.audiences.empty}>
						<p>{w.audiences.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.audiences.audience, cell: ({ id, name }) => <Link to={`/audiences/${id}`}>{name}</Link> },
					{ name: w.audiences.members, cell: ({ contact_count }) => numberText(contact_count) },
					{ name: w.audiences.left, minor: true, cell: ({ unsubscribers }) => numberText(unsubscribers) },
					{ name: w.audiences.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
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
			name={w.audiences.add}
			title={w.audiences.add}
			action={w.do.create}
			onSubmit={async (values) => {
				await audienceAdd(said(values, 'name'));
				void data.invalidateQueries({ queryKey: ['audiences'] });
			}}
		>
			<Field label={w.audiences.audience} name="name" required />
		</FormButton>
	);
}
