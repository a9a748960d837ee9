// SPDX-License-Identifier: MIT
// Filters of a list, which stand in the address, and the form that sets them.
import { useEffect, useRef, type FormEvent, type ReactNode } from 'react';
import { useSearchParams } from 'wouter';
import { w } from '../words';
import { Button } from './button';
import { Field, said } from './field';

/** The filters of these names that the address has, and how they are set. */
export function filtersUse<Name extends string>(names: readonly Name[]) {
	const [search, setSearch] = useSearchParams();
	const filters = Object.fromEntries(names.flatMap((name) => (search.get(name) ? [[name, search.get(name)!]] : []))) as Partial<Record<Name, string>>;
	return { names, filters, isSet: Object.keys(filters).length > 0, set: (next: Partial<Record<Name, string>>) => setSearch(next as Record<string, string>) };
}

interface Props<Name extends string> {
	of: ReturnType<typeof filtersUse<Name>>;
	/** Fields with the names of the filters. */
	children: ReactNode;
}

export function FilterForm<Name extends string>({ of: { names, filters, isSet, set }, children }: Props<Name>) {
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		set(Object.fromEntries(names.flatMap((name) => (said(values, name) ? [[name, said(values, name)]] : []))) as Partial<Record<Name, string>>);
	};
	return (
		<form className="filters" onSubmit={submit} role="search" key={JSON.stringify(filters)}>
			{children}
			<div className="row">
				<Button type="submit">{w.do.filter}</Button>
				{isSet && (
					<Button look="quiet" onClick={() => set({})}>
						{w.do.clear}
					</Button>
				)}
			</div>
		</form>
	);
}

/** A field for the begin of an address or a name, as `?search=` of the API takes it. */
export function SearchField({ label, now }: { label: string; now: string | undefined }) {
	const field = useRef<HTMLInputElement>(null);
	// "/" leads there from anywhere but a field or a dialog.
	useEffect(() => {
		const press = (event: KeyboardEvent) => {
			if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('[role="dialog"]')) return;
			if (event.target instanceof Element && event.target.closest('input:not([type="checkbox"]), textarea, select, [contenteditable]')) return;
			event.preventDefault();
			field.current?.select();
			field.current?.focus();
		};
		addEventListener('keydown', press);
		return () => removeEventListener('keydown', press);
	}, []);
	return <Field ref={field} label={label} name="search" type="search" minLength={2} maxLength={100} defaultValue={now} aria-keyshortcuts="/" />;
}
