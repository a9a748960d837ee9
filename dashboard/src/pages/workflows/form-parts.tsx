// SPDX-License-Identifier: MIT
// The fields that forms of several nodes have.
import { choicesUse } from '../../api/choices';
import { Choice, Field } from '../../parts/field';
import { w } from '../../words';
import { isObject, type Data } from './design';
import { RulesField, type Rule, type RuleSet } from './rules';

export interface Parts {
	data: Data;
	/** Sets a member; undefined takes it out. */
	set: (name: string, value: unknown) => void;
}

export const shown = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

export function TextPart({ data, set, name, ...rest }: Parts & { name: string; label: string; help?: string; placeholder?: string; list?: string }) {
	return <Field {...rest} value={shown(data[name])} onChange={(event) => set(name, event.target.value || undefined)} />;
}

export function FilterPart({ data, set }: Parts) {
	return <RulesField label={w.workflows.filter} rules={rulesOf(data.filter)} onChange={(rules) => set('filter', rules.rules.length ? rules : undefined)} />;
}

/** The rules of a draft, which may hold anything. */
export function rulesOf(value: unknown): RuleSet {
	if (!isObject(value) || !Array.isArray(value.rules)) return { match: 'all', rules: [] };
	const rules = value.rules.filter(isObject).map((rule) => (Array.isArray(rule.rules) ? rulesOf(rule) : (rule as unknown as Rule)));
	return { match: value.match === 'any' ? 'any' : 'all', rules };
}

/** None, what there is, and what is named but not among these. */
export function choices(none: string, now: string, known: { value: string; name: string }[] = []) {
	const rest = now && !known.some(({ value }) => value === now) ? [{ value: now, name: now }] : [];
	return [{ value: '', name: none }, ...known, ...rest];
}

export const units = () => Object.entries(w.workflows.unit).map(([value, name]) => ({ value, name }));
export const whole = (text: string) => (text === '' ? undefined : Number(text));

export function Duration({ data, set }: Parts) {
	return (
		<div className="pair">
			<Field label={w.workflows.duration} type="number" min={1} value={shown(data.duration)} onChange={(event) => set('duration', whole(event.target.value))} />
			<Choice label={w.workflows.unitName} value={shown(data.unit)} onChange={(event) => set('unit', event.target.value)} options={units()} />
		</div>
	);
}

/** The segment that an event is about. */
export function SegmentPart({ data, set }: Parts) {
	const segments = choicesUse('segments');
	return (
		<Choice
			label={w.segments.segment}
			value={shown(data.segmentId)}
			onChange={(event) => set('segmentId', event.target.value || undefined)}
			options={choices('–', shown(data.segmentId), segments.map(({ id, name }) => ({ value: id, name })))}
		/>
	);
}

/** Sets a member of an object that is a member itself. */
export const within = ({ data, set }: Parts, name: string): Parts => {
	const now: Data = isObject(data[name]) ? data[name] : {};
	return {
		data: now,
		set: (member, value) => {
			const { [member]: _, ...rest } = now;
			set(name, value === undefined ? rest : { ...rest, [member]: value });
		},
	};
};
