// SPDX-License-Identifier: MIT
// Builds rules: groups of which all or one must hold, with rules and further groups in them.
import { useQuery } from '@tanstack/react-query';
import { useId } from 'react';
import { choicesUse, propertiesQuery, type ChoiceRow } from '../../api/choices';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { w } from '../../words';
import { begun, emailWords, everybody, hasValue, isGroup, kindOf, kinds, operators, ownFields, valued, type Group, type Kind, type Node, type Rule } from './rule';

const deepest = 8;

interface GroupProps {
	group: Group;
	level: number;
	disabled?: boolean;
	onChange: (group: Group) => void;
	onRemove?: () => void;
}

export function GroupForm({ group, level, disabled, onChange, onRemove }: GroupProps) {
	const set = (index: number, node: Node | null) => onChange({ ...group, rules: group.rules.flatMap((old, at) => (at !== index ? [old] : node ? [node] : [])) });
	const add = (node: Node) => onChange({ ...group, rules: [...group.rules, node] });
	return (
		<fieldset className="rule-group" disabled={disabled}>
			<legend className="hidden">{w.segments.group(level)}</legend>
			<div className="row">
				<Select
					label={w.segments.match}
					value={group.match}
					onChange={(match) => onChange({ ...group, match: match as Group['match'] })}
					options={[['all', w.segments.all], ['any', w.segments.any]]}
				/>
				{onRemove && !disabled && <RemoveButton name={w.segments.removeGroup} onClick={onRemove} />}
			</div>
			{group.rules.map((node, index) =>
				isGroup(node) ? (
					<GroupForm key={index} group={node} level={level + 1} disabled={disabled} onChange={(next) => set(index, next)} onRemove={() => set(index, null)} />
				) : (
					<RuleForm key={index} rule={node} number={index + 1} disabled={disabled} onChange={(next) => set(index, next)} onRemove={() => set(index, null)} />
				),
			)}
			{!group.rules.length && <p className="help">{group.match === 'all' ? w.segments.emptyAll : w.segments.emptyAny}</p>}
			{!disabled && (
				<div className="row">
					<Button look="quiet" onClick={() => add(begun('property', ''))}>
						{w.segments.addRule}
					</Button>
					{level < deepest && (
						<Button look="quiet" onClick={() => add({ ...everybody, match: group.match === 'all' ? 'any' : 'all' })}>
							{w.segments.addGroup}
						</Button>
					)}
				</div>
			)}
		</fieldset>
	);
}

interface RuleProps {
	rule: Rule;
	onChange: (rule: Rule) => void;
}

function RuleForm({ rule, number, disabled, onChange, onRemove }: RuleProps & { number: number; disabled?: boolean; onRemove: () => void }) {
	const kind = kindOf(rule);
	const audiences = choicesUse('audiences');
	const topics = choicesUse('topics');
	const firsts: Record<Kind, string> = { property: '', audience: audiences[0]?.id ?? '', topic: topics[0]?.id ?? '', email: 'opened', event: '' };
	return (
		<div className="rule" role="group" aria-label={w.segments.rule(number)}>
			<Select
				label={w.segments.about}
				value={kind}
				onChange={(next) => onChange(begun(next as Kind, firsts[next as Kind]))}
				options={kinds.map((one) => [one, w.segments.kinds[one]])}
			/>
			{kind === 'property' && <PropertyFields rule={rule} onChange={onChange} />}
			{kind === 'audience' && <ThingFields of="audience" rows={audiences} rule={rule} onChange={onChange} />}
			{kind === 'topic' && <ThingFields of="topic" rows={topics} rule={rule} onChange={onChange} />}
			{kind === 'email' && <EmailFields rule={rule} onChange={onChange} />}
			{kind === 'event' && <EventFields rule={rule} onChange={onChange} />}
			{!disabled && <RemoveButton name={w.segments.removeRule} onClick={onRemove} />}
		</div>
	);
}

function PropertyFields({ rule, onChange }: RuleProps) {
	const list = useId();
	const defined = useQuery(propertiesQuery).data ?? [];
	const known = (path: string) => {
		const type = ownFields[path] ?? defined.find(({ key }) => key === path)?.type;
		return type === 'date' ? 'string' : type;
	};
	const type = known(rule.property ?? '') ?? (typeof rule.value as 'string' | 'number' | 'boolean');
	const text = String(rule.value ?? '');
	const path = (property: string) => onChange({ ...rule, property, ...(hasValue(rule) ? { value: valued(text, known(property) ?? type) } : {}) });
	const operator = (next: string) => {
		const { value: _, ...rest } = rule;
		onChange(hasValue({ operator: next }) ? { ...rest, operator: next, value: rule.value ?? '' } : { ...rest, operator: next });
	};
	return (
		<>
			<input aria-label={w.segments.property} list={list} placeholder="plan" value={rule.property} onChange={(event) => path(event.target.value)} required />
			<datalist id={list}>
				{[...defined.map(({ key }) => key), ...Object.keys(ownFields)].map((name) => (
					<option key={name} value={name} />
				))}
			</datalist>
			<Operator kind="property" value={rule.operator} onChange={operator} />
			{hasValue(rule) && !known(rule.property ?? '') && (
				<Select
					label={w.segments.valueType}
					value={type}
					onChange={(next) => onChange({ ...rule, value: valued(text, next as typeof type) === '' && next === 'number' ? 0 : valued(text, next as typeof type) })}
					options={[['string', w.segments.types.string], ['number', w.segments.types.number], ['boolean', w.segments.types.boolean]]}
				/>
			)}
			{hasValue(rule) &&
				(type === 'boolean' ? (
					<Select label={w.segments.value} value={text} onChange={(next) => onChange({ ...rule, value: next === 'true' })} options={[['true', w.segments.yes], ['false', w.segments.no]]} />
				) : (
					<input
						aria-label={w.segments.value}
						inputMode={type === 'number' ? 'decimal' : undefined}
						value={text}
						onChange={(event) => onChange({ ...rule, value: typed(event.target.value, type) })}
					/>
				))}
		</>
	);
}

/** What is typed stays a text while it is no number yet, as `1.` or `-`. */
const typed = (text: string, type: 'string' | 'number' | 'boolean') => (String(valued(text, type)) === text ? valued(text, type) : text);

function ThingFields({ of, rows, rule, onChange }: RuleProps & { of: 'audience' | 'topic'; rows: ChoiceRow[] }) {
	return (
		<>
			<Select label={w.segments.kinds[of]} value={rule[of] ?? ''} onChange={(id) => onChange({ ...rule, [of]: id })} options={known(rows, rule[of] ?? '')} />
			<Operator kind={of} value={rule.operator} onChange={(operator) => onChange({ ...rule, operator })} />
		</>
	);
}

/** The rows to choose from; one that is not among them, since it was deleted, stays as its id. */
const known = (rows: ChoiceRow[], id: string): [string, string][] => [
	...(rows.some((row) => row.id === id) ? [] : [[id, id || '–'] as [string, string]]),
	...rows.map((row): [string, string] => [row.id, row.name]),
];

function EmailFields({ rule, onChange }: RuleProps) {
	const broadcasts = choicesUse('broadcasts');
	const { broadcast: _, ...rest } = rule;
	return (
		<>
			<Operator kind="email" value={rule.operator} onChange={(operator) => onChange({ ...rule, operator })} />
			<Select label={w.segments.kinds.email} value={rule.email ?? ''} onChange={(email) => onChange({ ...rule, email })} options={emailWords.map((word) => [word, w.segments.emails[word]])} />
			<Select
				label={w.segments.broadcast}
				value={rule.broadcast ?? ''}
				onChange={(broadcast) => onChange(broadcast ? { ...rest, broadcast } : rest)}
				options={[['', w.segments.anyMailing], ...known(broadcasts, rule.broadcast ?? '').filter(([id]) => id)]}
			/>
			<Within rule={rule} onChange={onChange} />
		</>
	);
}

function EventFields({ rule, onChange }: RuleProps) {
	const { at_least: _, ...rest } = rule;
	return (
		<>
			<Operator kind="event" value={rule.operator} onChange={(operator) => onChange({ ...rule, operator })} />
			<input aria-label={w.segments.kinds.event} placeholder="order.placed" value={rule.event} onChange={(event) => onChange({ ...rule, event: event.target.value })} required />
			<Amount label={w.segments.atLeast} value={rule.at_least} most={1000} onChange={(at_least) => onChange(at_least ? { ...rest, at_least } : rest)} />
			<Within rule={rule} onChange={onChange} />
		</>
	);
}

function Within({ rule, onChange }: RuleProps) {
	const { within_days: _, since: __, ...rest } = rule;
	return <Amount label={w.segments.withinDays} value={rule.within_days} most={730} onChange={(within_days) => onChange(within_days ? { ...rest, within_days } : rest)} />;
}

function Amount({ label, value, most, onChange }: { label: string; value?: number; most: number; onChange: (value: number) => void }) {
	return (
		<input
			className="amount"
			type="number"
			min={1}
			max={most}
			aria-label={label}
			placeholder={label}
			value={value ?? ''}
			onChange={(event) => onChange(Math.trunc(Number(event.target.value)))}
		/>
	);
}

function Operator({ kind, value, onChange }: { kind: Kind; value: string; onChange: (operator: string) => void }) {
	const words = w.segments.operators as Record<string, string>;
	return <Select label={w.segments.operator} value={value} onChange={onChange} options={operators[kind].map((one) => [one, words[one]])} />;
}

function Select({ label, value, options, onChange }: { label: string; value: string; options: [string, string][]; onChange: (value: string) => void }) {
	return (
		<select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
			{options.map(([id, name]) => (
				<option key={id} value={id}>
					{name}
				</option>
			))}
		</select>
	);
}

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
	return (
		<button type="button" className="icon-button" aria-label={name} title={name} onClick={onClick}>
			<Icon name="close" />
		</button>
	);
}
