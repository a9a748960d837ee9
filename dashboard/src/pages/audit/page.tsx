// SPDX-License-Identifier: MIT
// Audit: who changed what.
import type { FormEvent } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../../parts/button';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { auditUse } from './query';
import { Target, targetNameUse } from './target';

export default function Audit() {
	const [search, setSearch] = useSearchParams();
	const action = search.get('action') ?? '';
	const list = auditUse(action);
	const nameOf = targetNameUse(list.rows);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const next = said(new FormData(event.currentTarget), 'action');
		setSearch(next ? { action: next } : {});
	};
	return (
		<>
			<Head title={w.audit.name} text={w.audit.text} />
			<form className="filters" onSubmit={submit} role="search">
				<Field label={w.audit.filter} name="action" placeholder={w.audit.filterHelp} defaultValue={action} />
				<div className="row">
					<Button type="submit">{w.do.filter}</Button>
				</div>
			</form>
			<ListTable
				label={w.audit.name}
				list={list}
				id={({ id }) => id}
				empty={<Empty title={w.audit.empty} />}
				columns={[
					{ name: w.audit.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
					{
						name: w.audit.who,
						cell: ({ actor }) => (
							<>
								{actor.name ?? '–'} <span className="soft">{w.audit[actor.type]}</span>
							</>
						),
					},
					{
						name: w.audit.action,
						cell: ({ action }) => (
							<>
								{didText(action)} <code className="soft">{action}</code>
							</>
						),
					},
					{ name: w.audit.target, cell: (row) => <Target row={row} name={nameOf(row)} /> },
					{ name: w.audit.address, minor: true, cell: ({ address }) => address ?? '–' },
				]}
			/>
		</>
	);
}

/** What was done, in a word. */
const didText = (action: string) => (w.audit.did as Record<string, string>)[action] ?? (w.audit.did as Record<string, string>)[action.replace(/^.*\./, '')] ?? '';
