// SPDX-License-Identifier: MIT
// Templates: the list, and a new one.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { templateAdd, templatesUse } from './query';

export default function Templates() {
	const list = templatesUse();
	return (
		<>
			<Head title={w.templates.name} text={w.templates.text}>
				{mayChangeUse() && <Add />}
			</Head>
			<ListTable
				label={w.templates.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.templates.empty}>
						<p>{w.templates.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.templates.template, cell: ({ id, name }) => <Link to={`/templates/${encodeURIComponent(id)}`}>{name}</Link> },
					{ name: w.templates.subject, cell: ({ subject }) => subject ?? '–' },
					{ name: w.templates.id, minor: true, cell: ({ id }) => <code>{id}</code> },
					{ name: w.templates.updated, minor: true, cell: ({ updated }) => <Time at={updated} /> },
				]}
			/>
		</>
	);
}

function Add() {
	const data = useQueryClient();
	const [, go] = useLocation();
	return (
		<FormButton
			fresh
			name={w.templates.add}
			title={w.templates.add}
			action={w.do.create}
			onSubmit={async (values) => {
				const id = said(values, 'id');
				const made = await templateAdd({ name: said(values, 'name'), subject: said(values, 'subject'), html: '<p>…</p>', ...(id ? { id } : {}) });
				void data.invalidateQueries({ queryKey: ['templates'] });
				go(`/templates/${encodeURIComponent(made.id)}`);
			}}
		>
			<Field label={w.templates.template} name="name" required />
			<Field label={w.templates.id} name="id" help={w.templates.idHelp} />
			<Field label={w.templates.subject} name="subject" />
		</FormButton>
	);
}
