// SPDX-License-Identifier: MIT
// Forms: pages and snippets by which people join an audience.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { choicesUse, propertiesQuery } from '../../api/choices';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { CopyButton } from '../../parts/copy';
import { ConfirmButton, Dialog, FormButton } from '../../parts/dialog';
import { CheckList, Choice, Field, said, TextField } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty, Ready } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { w } from '../../words';
import { formAdd, formChange, formDelete, formsUse, snippetGet, type Form } from './query';

export default function Forms() {
	const list = formsUse();
	const may = mayChangeUse();
	const audiences = choicesUse('audiences');
	return (
		<>
			<Head title={w.forms.name} text={w.forms.text}>
				{may && <FormForm />}
			</Head>
			<ListTable
				label={w.forms.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.forms.empty}>
						<p>{w.forms.emptyText}</p>
					</Empty>
				}
				columns={[
					{
						name: w.forms.form,
						cell: ({ name, url }) => (
							<a href={url} target="_blank" rel="noreferrer">
								{name}
							</a>
						),
					},
					{ name: w.forms.audience, cell: ({ audience_id }) => audiences.find(({ id }) => id === audience_id)?.name ?? '–' },
					{ name: w.forms.optIn, minor: true, cell: ({ double_opt_in }) => (double_opt_in ? w.forms.yes : w.forms.no) },
					{
						name: w.forms.change,
						actions: true,
						cell: (form) => (
							<>
								<Snippet of={form} />
								{may && (
									<>
										{' '}
										<FormForm of={form} /> <Remove of={form} />
									</>
								)}
							</>
						),
					},
				]}
			/>
		</>
	);
}

function FormForm({ of }: { of?: Form }) {
	const data = useQueryClient();
	const audiences = choicesUse('audiences');
	const topics = choicesUse('topics');
	const properties = useQuery(propertiesQuery).data ?? [];
	const fields = [
		{ id: 'first_name', name: w.people.firstName },
		{ id: 'last_name', name: w.people.lastName },
		...properties.map(({ key }) => ({ id: key, name: key })),
	];
	const save = async (values: FormData) => {
		const body = {
			name: said(values, 'name'),
			audience_id: said(values, 'audience_id'),
			topics: values.getAll('topics').map(String),
			fields: values.getAll('fields').map(String),
			redirect_url: said(values, 'redirect_url') || null,
			origins: originsOf(said(values, 'origins')),
			double_opt_in: said(values, 'double_opt_in') === 'yes',
			per_network: Number(said(values, 'per_network')),
		};
		await (of ? formChange(of.id, body) : formAdd(body));
		void data.invalidateQueries({ queryKey: ['forms'] });
	};
	return (
		<FormButton fresh={!of} look={of ? 'quiet' : 'main'} name={of ? w.forms.change : w.forms.add} title={of?.name ?? w.forms.add} action={of ? w.do.save : w.do.create} onSubmit={save}>
			<Field label={w.forms.form} name="name" defaultValue={of?.name} help={w.forms.nameHelp} required />
			<Choice label={w.forms.audience} name="audience_id" defaultValue={of?.audience_id} options={audiences.map(({ id, name }) => ({ value: id, name }))} required />
			<CheckList label={w.forms.fields} name="fields" rows={fields} chosen={of?.fields ?? []} />
			<CheckList label={w.topics.name} name="topics" rows={topics} chosen={of?.topics ?? []} />
			<Choice
				label={w.forms.optIn}
				help={w.forms.optInHelp}
				name="double_opt_in"
				defaultValue={of && !of.double_opt_in ? 'no' : 'yes'}
				options={[{ value: 'yes', name: w.forms.yes }, { value: 'no', name: w.forms.no }]}
			/>
			<Field label={w.forms.redirect} help={w.forms.redirectHelp} name="redirect_url" type="url" defaultValue={of?.redirect_url ?? ''} />
			<TextField label={w.forms.origins} help={w.forms.originsHelp} name="origins" rows={2} spellCheck={false} defaultValue={of?.origins?.join('\n') ?? ''} />
			<Field label={w.forms.perNetwork} name="per_network" type="number" min={1} max={1_000_000} defaultValue={of?.per_network ?? 30} required />
		</FormButton>
	);
}

/** The sites of a text, one in a line; null, which is any, where there is none. */
function originsOf(text: string) {
	const origins = text.split(/[\s,]+/).filter(Boolean);
	return origins.length ? origins : null;
}

function Snippet({ of: { id, name, url } }: { of: Form }) {
	const [open, setOpen] = useState(false);
	const snippet = useQuery({ queryKey: ['form', id, 'snippet'], enabled: open, queryFn: () => snippetGet(id) });
	return (
		<>
			<CopyButton text={url} name={w.forms.address(name)} />
			<Button look="quiet" onClick={() => setOpen(true)}>
				{w.forms.snippet}
			</Button>
			<Dialog wide title={w.forms.snippet} open={open} onOpenChange={setOpen}>
				<p>{w.forms.snippetText}</p>
				<Ready of={snippet}>
					{(text) => (
						<>
							<pre className="source" tabIndex={0}>
								{text}
							</pre>
							<div className="dialog-foot">
								<CopyButton text={text} name={w.forms.snippet} />
							</div>
						</>
					)}
				</Ready>
			</Dialog>
		</>
	);
}

function Remove({ of: { id, name } }: { of: Form }) {
	const remove = changeUse(() => formDelete(id), { touches: [['forms']], done: w.forms.removed });
	return <ConfirmButton quiet name={w.do.delete} title={w.forms.removeTitle(name)} text={w.forms.removeText} onConfirm={() => remove.mutate()} />;
}
