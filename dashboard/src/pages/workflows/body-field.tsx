// SPDX-License-Identifier: MIT
// The body of a request: that of the service, fields with their values, a text, or any JSON.
import { useState } from 'react';
import { Choice, TextField } from '../../parts/field';
import { w } from '../../words';
import { isObject, type Data } from './design';
import { JsonField } from './json-field';
import { PairsField, ValueInput } from './rules';

type Form = keyof typeof w.workflows.bodies;
const fresh: Record<Form, unknown> = { own: undefined, fields: { email: '{{contact.email}}' }, text: 'Hello {{contact.email}}', json: [] };

/** A value of a property in the place of a value. */
const pathOf = (value: unknown) => (isObject(value) && Object.keys(value).length === 1 && typeof value.var === 'string' ? value.var : null);

const formOf = (body: unknown): Form => (body === undefined ? 'own' : typeof body === 'string' ? 'text' : isObject(body) && pathOf(body) === null ? 'fields' : 'json');

export function BodyField({ body, onChange }: { body: unknown; onChange: (body: unknown) => void }) {
	const [raw, setRaw] = useState(false);
	const form = raw ? 'json' : formOf(body);
	const change = (next: Form) => {
		setRaw(next === 'json');
		// Any body is JSON.
		onChange(next === 'json' && body !== undefined ? body : fresh[next]);
	};
	return (
		<>
			<Choice
				label={w.workflows.body}
				value={form}
				onChange={(event) => change(event.target.value as Form)}
				options={Object.entries(w.workflows.bodies).map(([value, name]) => ({ value, name }))}
			/>
			{form === 'own' && <p className="help">{w.workflows.bodyHelp}</p>}
			{form === 'fields' && (
				<PairsField label={w.workflows.bodyFields} help={w.workflows.bodyFieldsHelp} names={w.workflows.bodyField} values={w.workflows.value} pairs={body as Data} onChange={onChange} Value={BodyValue} />
			)}
			{form === 'text' && <TextField label={w.workflows.bodyText} help={w.workflows.bodyTextHelp} value={String(body)} onChange={(event) => onChange(event.target.value)} />}
			{form === 'json' && <JsonField label={w.workflows.bodyJson} help={w.workflows.bodyJsonHelp} value={body} onChange={onChange} rows={8} />}
		</>
	);
}

/** The value of a field: a text, a property of its own type, or a number, a list and the like. */
function BodyValue({ label, value, onChange }: { label: string; value: unknown; onChange: (value: unknown) => void }) {
	const path = pathOf(value);
	const kind = path !== null ? 'property' : typeof value === 'string' ? 'text' : 'other';
	const begins = { text: '', property: { var: 'event.id' }, other: 0 };
	return (
		<>
			<select aria-label={w.workflows.bodyKind} value={kind} onChange={(event) => onChange(begins[event.target.value as keyof typeof begins])}>
				{Object.entries(w.workflows.bodyKinds).map(([value, name]) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
			{path !== null ? (
				<ValueInput label={w.workflows.path} value={path} onChange={(next) => onChange({ var: next })} asText />
			) : (
				<ValueInput label={label} value={value} onChange={onChange} asText={kind === 'text'} />
			)}
		</>
	);
}
