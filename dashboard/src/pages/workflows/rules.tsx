// SPDX-License-Identifier: MIT
// Fields for rules, and for pairs of names and values.
import { useId, useState, type ComponentType } from 'react';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { w } from '../../words';

export interface Rule {
	property: string;
	operator: string;
	value?: unknown;
}
export interface RuleSet {
	match: 'all' | 'any';
	rules: (Rule | RuleSet)[];
}
const isSet = (rule: Rule | RuleSet): rule is RuleSet => 'rules' in rule;

/** What a text in a field means: a number, true, false, null, a text in quotes or JSON; else the text itself. */
export function valueOf(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch {
		return text;
	}
}
const textOf = (value: unknown) => (typeof value === 'string' && valueOf(value) === value ? value : value === undefined ? '' : JSON.stringify(value));

interface ValueProps {
	label: string;
	value: unknown;
	onChange: (value: unknown) => void;
}

/** A field for a value of any type. It keeps what was typed while that means the same. */
export function ValueInput({ label, value, onChange, asText }: ValueProps & { asText?: boolean }) {
	const [typed, setTyped] = useState(() => textOf(value));
	const means = (text: string) => (asText ? text : valueOf(text));
	const text = JSON.stringify(means(typed)) === JSON.stringify(value) ? typed : asText ? String(value ?? '') : textOf(value);
	return (
		<input
			aria-label={label}
			placeholder={label}
			value={text}
			autoComplete="off"
			onChange={(event) => {
				setTyped(event.target.value);
				onChange(means(event.target.value));
			}}
		/>
	);
}

function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
	return (
		<button type="button" className="icon-button" aria-label={name} title={name} onClick={onClick}>
			<Icon name="close" />
		</button>
	);
}

export function RulesField({ label, rules, onChange }: { label: string; rules: RuleSet; onChange: (rules: RuleSet) => void }) {
	const id = useId();
	return (
		<div className="field" role="group" aria-labelledby={id}>
			<h3 id={id}>{label}</h3>
			<Rules rules={rules} onChange={onChange} />
			<p className="help">{w.workflows.rulesHelp}</p>
		</div>
	);
}

function Rules({ rules: { match, rules }, onChange }: { rules: RuleSet; onChange: (rules: RuleSet) => void }) {
	const set = (index: number, rule: Rule | RuleSet) => onChange({ match, rules: rules.with(index, rule) });
	const drop = (index: number) => onChange({ match, rules: rules.toSpliced(index, 1) });
	const add = (rule: Rule | RuleSet) => onChange({ match: match ?? 'all', rules: [...rules, rule] });
	return (
		<div className="rules">
			{rules.length > 1 && (
				<select aria-label={w.workflows.match} value={match} onChange={(event) => onChange({ match: event.target.value as RuleSet['match'], rules })}>
					<option value="all">{w.workflows.all}</option>
					<option value="any">{w.workflows.any}</option>
				</select>
			)}
			{rules.map((rule, index) =>
				isSet(rule) ? (
					<div key={index}>
						<Rules rules={rule} onChange={(next) => (next.rules.length ? set(index, next) : drop(index))} />
					</div>
				) : (
					<RuleRow key={index} rule={rule} onChange={(next) => set(index, next)} onRemove={() => drop(index)} />
				),
			)}
			<div className="row">
				<Button look="quiet" onClick={() => add(emptyRule)}>
					{w.workflows.addRule}
				</Button>
				<Button look="quiet" onClick={() => add({ match: 'any', rules: [emptyRule] })}>
					{w.workflows.addGroup}
				</Button>
			</div>
		</div>
	);
}

const emptyRule: Rule = { property: '', operator: 'equals', value: '' };
const withoutValue = ['exists', 'not_exists'];

function RuleRow({ rule, onChange, onRemove }: { rule: Rule; onChange: (rule: Rule) => void; onRemove: () => void }) {
	const operate = (operator: string) => {
		const { value = '', ...rest } = rule;
		onChange(withoutValue.includes(operator) ? { ...rest, operator } : { ...rest, operator, value });
	};
	return (
		<div className="rule">
			<input className="wide" aria-label={w.workflows.property} placeholder={w.workflows.property} value={String(rule.property ?? '')} onChange={(event) => onChange({ ...rule, property: event.target.value })} />
			<select aria-label={w.workflows.operatorName} value={rule.operator} onChange={(event) => operate(event.target.value)}>
				{Object.entries(w.workflows.operator).map(([value, name]) => (
					<option key={value} value={value}>
						{name}
					</option>
				))}
			</select>
			{withoutValue.includes(rule.operator) ? <span /> : <ValueInput label={w.workflows.value} value={rule.value} onChange={(value) => onChange({ ...rule, value })} />}
			<RemoveButton name={w.workflows.removeRule} onClick={onRemove} />
		</div>
	);
}

interface PairsProps {
	label: string;
	help: string;
	names: string;
	values: string;
	pairs: Record<string, unknown>;
	onChange: (pairs: Record<string, unknown>) => void;
	asText?: boolean;
	/** The value of a new pair. */
	fresh?: unknown;
	/** The fields of a value, where it has some of its own. */
	Value?: ComponentType<ValueProps>;
}

export function PairsField({ label, help, names, values, pairs, onChange, asText, fresh = '', Value }: PairsProps) {
	const id = useId();
	const rows = Object.entries(pairs);
	const set = (index: number, name: string, value: unknown) => onChange(Object.fromEntries(rows.with(index, [name, value])));
	return (
		<div className="field" role="group" aria-labelledby={id}>
			<h3 id={id}>{label}</h3>
			{rows.map(([name, value], index) => (
				<div className={Value ? 'pair kinds' : 'pair'} key={index}>
					<NameInput label={names} name={name} taken={rows.map(([name]) => name)} onChange={(next) => set(index, next, value)} />
					{Value ? (
						<Value label={values} value={value} onChange={(next) => set(index, name, next)} />
					) : (
						<ValueInput label={values} value={value} onChange={(next) => set(index, name, next)} asText={asText} />
					)}
					<RemoveButton name={w.workflows.removePair(name)} onClick={() => onChange(Object.fromEntries(rows.toSpliced(index, 1)))} />
				</div>
			))}
			<div>
				<Button look="quiet" onClick={() => onChange({ ...pairs, [freeName(pairs, names)]: fresh })}>
					{w.workflows.addPair}
				</Button>
			</div>
			<p className="help">{help}</p>
		</div>
	);
}

function freeName(pairs: Record<string, unknown>, stem: string) {
	let number = Object.keys(pairs).length + 1;
	while (`${stem}_${number}`.toLowerCase() in pairs) number++;
	return `${stem}_${number}`.toLowerCase();
}

/** A name is taken when the reader leaves the field, and only where no other pair has it. */
function NameInput({ label, name, taken, onChange }: { label: string; name: string; taken: string[]; onChange: (name: string) => void }) {
	const [typed, setTyped] = useState<string>();
	const take = () => {
		if (typed && typed !== name && !taken.includes(typed)) onChange(typed);
		setTyped(undefined);
	};
	return <input aria-label={label} placeholder={label} value={typed ?? name} onChange={(event) => setTyped(event.target.value)} onBlur={take} onKeyDown={(event) => event.key === 'Enter' && take()} />;
}
