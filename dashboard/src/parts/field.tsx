// SPDX-License-Identifier: MIT
// Labelled fields of forms.
import { useId, type ComponentProps, type ReactNode } from 'react';

interface Common {
	label: string;
	help?: ReactNode;
}

export function Field({ label, help, ...rest }: Common & ComponentProps<'input'>) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			<input id={id} aria-describedby={help ? `${id}-help` : undefined} autoComplete="off" {...rest} />
			{help && (
				<p className="help" id={`${id}-help`}>
					{help}
				</p>
			)}
		</div>
	);
}

export function TextField({ label, help, ...rest }: Common & ComponentProps<'textarea'>) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			<textarea id={id} aria-describedby={help ? `${id}-help` : undefined} rows={5} {...rest} />
			{help && (
				<p className="help" id={`${id}-help`}>
					{help}
				</p>
			)}
		</div>
	);
}

export function Choice({ label, help, options, ...rest }: Common & ComponentProps<'select'> & { options: { value: string; name: string }[] }) {
	const id = useId();
	return (
		<div className="field">
			<label htmlFor={id}>{label}</label>
			<select id={id} {...rest}>
				{options.map(({ value, name }) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
			{help && <p className="help">{help}</p>}
		</div>
	);
}

/** What a form says in a field, without blanks around it. */
export const said = (values: FormData, name: string) => String(values.get(name) ?? '').trim();

/** Some of several: a box for each, under one name. */
export function CheckList({ label, name, rows, chosen }: { label: string; name: string; rows: { id: string; name: string }[]; chosen: string[] }) {
	const all = [...rows, ...chosen.filter((id) => !rows.some((row) => row.id === id)).map((id) => ({ id, name: id }))];
	if (!all.length) return null;
	return (
		<fieldset className="check-list">
			<legend>{label}</legend>
			{all.map((row) => (
				<label key={row.id}>
					<input type="checkbox" name={name} value={row.id} defaultChecked={chosen.includes(row.id)} /> {row.name}
				</label>
			))}
		</fieldset>
	);
}
