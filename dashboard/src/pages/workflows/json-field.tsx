// SPDX-License-Identifier: MIT
// A field for a value that is written as JSON. What is no JSON yet stays in the field, and is not taken.
import { useState } from 'react';
import { TextField } from '../../parts/field';
import { w } from '../../words';

export function JsonField({ label, help, value, onChange, rows = 4 }: { label: string; help?: string; value: unknown; onChange: (value: unknown) => void; rows?: number }) {
	const text = value === undefined ? '' : JSON.stringify(value, null, 2);
	const [typed, setTyped] = useState(text);
	const means = read(typed);
	const shown = 'value' in means && JSON.stringify(means.value) !== JSON.stringify(value) ? text : typed;
	return (
		<TextField
			label={label}
			help={'value' in means ? help : w.workflows.noJson}
			aria-invalid={!('value' in means)}
			rows={rows}
			spellCheck={false}
			value={shown}
			onChange={(event) => {
				setTyped(event.target.value);
				const next = read(event.target.value);
				if ('value' in next) onChange(next.value);
			}}
		/>
	);
}

/** The value of a text: of an empty one it is undefined; of what is no JSON there is none. */
function read(text: string): { value: unknown } | object {
	if (!text.trim()) return { value: undefined };
	try {
		return { value: JSON.parse(text) as unknown };
	} catch {
		return {};
	}
}
