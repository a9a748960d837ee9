// SPDX-License-Identifier: MIT
// The filters of a list that its reader has saved, by name, and a way to save those that are set.
import { savedFiltersUse } from '../api/filters';
import { w } from '../words';
import { Button } from './button';
import { FormButton } from './dialog';
import { Field, said } from './field';
import type { filtersUse } from './filter-form';
import { noticeUse } from './notice';

export function SavedFilters<Name extends string>({ list, of: { filters, isSet, set } }: { list: string; of: ReturnType<typeof filtersUse<Name>> }) {
	const { saved, add, drop } = savedFiltersUse(list);
	const notice = noticeUse();
	const now = queryOf(filters);
	const chosen = isSet ? saved.find(({ query }) => query === now) : undefined;
	if (!saved.length && !isSet) return null;
	return (
		<div className="row" role="group" aria-label={w.filters.name}>
			{saved.map(({ name, query }) => (
				<Button key={name} look="quiet" aria-pressed={query === now} onClick={() => set(Object.fromEntries(new URLSearchParams(query)) as Partial<Record<Name, string>>)}>
					{name}
				</Button>
			))}
			{isSet && !chosen && (
				<FormButton look="quiet" name={w.filters.save} title={w.filters.save} action={w.do.save} onSubmit={(values) => add({ name: said(values, 'name'), query: now })}>
					<p>{w.filters.text}</p>
					<Field label={w.filters.called} name="name" maxLength={60} required />
				</FormButton>
			)}
			{chosen && (
				<Button look="quiet" onClick={() => void drop(chosen.name).catch((why: Error) => notice(why.message, 'bad'))}>
					{w.filters.drop(chosen.name)}
				</Button>
			)}
		</div>
	);
}

/** Filters as a query, those of one meaning alike. */
const queryOf = (filters: Partial<Record<string, string>>) =>
	new URLSearchParams(Object.entries(filters).flatMap(([name, value]) => (value ? [[name, value]] : [])).sort(([a], [b]) => (a < b ? -1 : 1))).toString();
