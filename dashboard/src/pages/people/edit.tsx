// SPDX-License-Identifier: MIT
// Changes what is known of a person: the name, language and zone, the subscription, and properties by their types.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { propertiesQuery } from '../../api/choices';
import type { Schemas } from '../../api/client';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { numberText, timeText } from '../../parts/time';
import { w } from '../../words';
import { personChange, type Person } from './query';

type Definition = Pick<Schemas['Property'], 'key' | 'type'>;
const zones = Intl.supportedValuesOf('timeZone');

/** A value as people read it, by the type of its property. */
export function valueShown(value: unknown, type?: Definition['type']) {
	if (typeof value === 'boolean') return value ? w.segments.yes : w.segments.no;
	if (typeof value === 'number') return numberText(value);
	if (typeof value !== 'string') return JSON.stringify(value);
	// A date has no time, and no zone.
	return type === 'date' && isDay(value) ? timeText(Date.parse(`${value}T00:00:00`), 'day') : value;
}

const isDay = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);

const typeOf = (value: unknown): Definition['type'] | null => (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? (typeof value as 'string') : null);

export function Edit({ person }: { person: Person }) {
	const defined = useQuery(propertiesQuery).data ?? [];
	const data = useQueryClient();
	const values = person.properties as Record<string, unknown>;
	// Values of other kinds, such as lists, are left to programs.
	const other = Object.keys(values).flatMap((key): Definition[] => {
		const type = typeOf(values[key]);
		return type && !defined.some((one) => one.key === key) ? [{ key, type }] : [];
	});
	const fields: Definition[] = [...defined, ...other];
	const save = async (form: FormData) => {
		const properties = Object.fromEntries(fields.flatMap(({ key, type }) => changed(values[key], said(form, `property.${key}`), type).map((value) => [key, value])));
		const subscribed = said(form, 'subscribed') === 'yes';
		const why = said(form, 'why');
		await personChange(person.email, {
			first_name: said(form, 'first') || null,
			last_name: said(form, 'last') || null,
			language: said(form, 'language') || null,
			time_zone: said(form, 'zone') || null,
			...(Object.keys(properties).length ? { properties: properties as Record<string, never> } : {}),
			...(subscribed !== person.subscribed ? { subscribed, ...(why ? { override: why } : {}) } : {}),
		});
		for (const queryKey of [['person', person.email], ['history', person.email], ['people'], ['contacts']]) void data.invalidateQueries({ queryKey });
	};
	return (
		<FormButton name={w.people.edit} title={w.people.edit} action={w.do.save} onSubmit={save}>
			<Field label={w.people.firstName} name="first" maxLength={100} defaultValue={person.first_name ?? ''} />
			<Field label={w.people.lastName} name="last" maxLength={100} defaultValue={person.last_name ?? ''} />
			<Field label={w.people.language} name="language" placeholder="en, de-AT" maxLength={35} defaultValue={person.language ?? ''} />
			<Choice
				label={w.people.zone}
				name="zone"
				defaultValue={person.time_zone ?? ''}
				options={[{ value: '', name: '–' }, ...[...new Set([...(person.time_zone ? [person.time_zone] : []), ...zones])].map((value) => ({ value, name: value }))]}
			/>
			<Choice
				label={w.people.state}
				name="subscribed"
				defaultValue={person.subscribed ? 'yes' : 'no'}
				options={[{ value: 'yes', name: w.people.subscribed }, { value: 'no', name: w.people.unsubscribed }]}
			/>
			{!person.subscribed && <Field label={w.people.why} help={w.people.whyHelp} name="why" maxLength={500} />}
			{fields.map((one) => (
				<Property key={one.key} of={one} value={values[one.key]} />
			))}
		</FormButton>
	);
}

function Property({ of: { key, type }, value }: { of: Definition; value: unknown }) {
	const now = value === undefined || value === null ? '' : String(value);
	const name = `property.${key}`;
	if (type === 'boolean')
		return <Choice label={key} name={name} defaultValue={now} options={[{ value: '', name: '–' }, { value: 'true', name: w.segments.yes }, { value: 'false', name: w.segments.no }]} />;
	const day = type === 'date' && (now === '' || isDay(now));
	return <Field label={key} name={name} type={type === 'number' ? 'number' : day ? 'date' : 'text'} step={type === 'number' ? 'any' : undefined} defaultValue={now} />;
}

/** The new value in a list, which is empty where it is the old one; null takes it away. */
function changed(before: unknown, text: string, type: Definition['type']): unknown[] {
	const next = text === '' ? null : type === 'number' ? Number(text) : type === 'boolean' ? text === 'true' : text;
	return next === (before ?? null) || (next === null && before === '') ? [] : [next];
}
