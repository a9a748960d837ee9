// SPDX-License-Identifier: MIT
// Audit: who changed what.
import { FilterForm, filtersUse } from '../../parts/filter-form';
import { Choice } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { actionName, actions, didText } from './actions';
import { actorsUse, auditUse } from './query';
import { Target, targetNameUse } from './target';

const filterNames = ['action', 'actor'] as const;

export default function Audit() {
	const of = filtersUse(filterNames);
	const list = auditUse(of.filters);
	const nameOf = targetNameUse(list.rows);
	return (
		<>
			<Head title={w.audit.name} text={w.audit.text} />
			<FilterForm of={of}>
				<Pick label={w.audit.filter} name="action" now={of.filters.action} any={w.audit.anyAction} options={actions.map((value) => ({ value, name: actionName(value) }))} />
				<Pick label={w.audit.who} name="actor" now={of.filters.actor} any={w.audit.anybody} options={actorsUse().map(({ id, name }) => ({ value: id, name }))} />
			</FilterForm>
			<ListTable
				label={w.audit.name}
				list={list}
				id={({ id }) => id}
				empty={<Empty title={of.isSet ? w.state.nothingFits : w.audit.empty} />}
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
					{ name: w.audit.address, minor: true, cell: ({ address }) => (address ? <span className={address.includes(':') ? undefined : 'whole'}>{address}</span> : '–') },
				]}
			/>
		</>
	);
}

/** Choices by their names in the order of the language; what the address has is among them, whatever it is. */
function Pick({ now, any, options, ...rest }: { label: string; name: string; now: string | undefined; any: string; options: { value: string; name: string }[] }) {
	const sorted = options.toSorted((a, b) => a.name.localeCompare(b.name));
	const all = now && !sorted.some(({ value }) => value === now) ? [{ value: now, name: actionName(now) }, ...sorted] : sorted;
	return <Choice {...rest} key={all.length} defaultValue={now ?? ''} options={[{ value: '', name: any }, ...all]} />;
}
