// SPDX-License-Identifier: MIT
// The form of a chosen node: its name, what its type needs, and where its ways out lead.
import { useQuery } from '@tanstack/react-query';
import { Choice, Field, TextField } from '../../parts/field';
import { w } from '../../words';
import { edgeOf, isObject, waysOut, withData, withEdge, type Data, type Step } from './design';
import type { DrawingOf } from './history';
import { kindName, stepNameOf, wayName } from './kinds';
import { templatesQuery, topicsQuery } from './query';
import { PairsField, RulesField, type Rule, type RuleSet } from './rules';

interface Parts {
	data: Data;
	/** Sets a member; undefined takes it out. */
	set: (name: string, value: unknown) => void;
}

export function NodeForm({ node, drawing, may }: { node: Step; drawing: DrawingOf; may: boolean }) {
	const { change, design } = drawing;
	const set = (name: string, value: unknown) =>
		change((now) => {
			const { [name]: _, ...data } = now.nodes.find(({ id }) => id === node.id)!.data;
			return withData(now, node.id, value === undefined ? data : { ...data, [name]: value });
		}, `${node.id} ${name}`);
	const parts = { data: node.data, set };
	return (
		<fieldset className="stack" disabled={!may} aria-label={stepNameOf([node], node.id)}>
			<h2>{kindName(node.type)}</h2>
			<p className="help">
				{w.workflows.nodeId} <code>{node.id}</code>
			</p>
			<TextPart {...parts} name="label" label={w.workflows.label} help={w.workflows.labelHelp} />
			<KindForm type={node.type} {...parts} />
			{waysOut(node).map((way) => (
				<Choice
					key={way}
					label={way === null ? w.workflows.leadsTo : w.workflows.wayLeadsTo(wayName(way))}
					value={edgeOf(design, node.id, way)?.target ?? ''}
					onChange={(event) => change((now) => withEdge(now, node.id, way, event.target.value))}
					options={[
						{ value: '', name: w.workflows.leadsNowhere },
						...design.nodes.filter(({ id, type }) => id !== node.id && type !== 'trigger').map(({ id }) => ({ value: id, name: stepNameOf(design.nodes, id) })),
					]}
				/>
			))}
		</fieldset>
	);
}

function KindForm({ type, ...parts }: Parts & { type?: string }) {
	if (type === 'trigger') return <TriggerForm {...parts} />;
	if (type === 'send_email') return <EmailForm {...parts} />;
	if (type === 'wait') return <WaitForm {...parts} />;
	if (type === 'wait_for_event') return <EventForm {...parts} />;
	if (type === 'condition') return <ConditionForm {...parts} />;
	if (type === 'update_contact') return <UpdateForm {...parts} />;
	if (type === 'split') return <SplitForm {...parts} />;
	return null;
}

const shown = (value: unknown) => (typeof value === 'string' || typeof value === 'number' ? String(value) : '');

function TextPart({ data, set, name, ...rest }: Parts & { name: string; label: string; help?: string; placeholder?: string }) {
	return <Field {...rest} value={shown(data[name])} onChange={(event) => set(name, event.target.value || undefined)} />;
}

const minute = 60_000;

function TriggerForm(parts: Parts) {
	const { data, set } = parts;
	return (
		<>
			<TextPart {...parts} name="eventName" label={w.workflows.eventName} help={w.workflows.eventHelp} />
			<Choice
				label={w.workflows.reentry}
				value={shown(data.reentry) || 'every'}
				onChange={(event) => set('reentry', event.target.value)}
				options={Object.entries(w.workflows.reentries).map(([value, name]) => ({ value, name }))}
			/>
			<Field
				label={w.workflows.dedupe}
				help={w.workflows.dedupeHelp}
				type="number"
				min={0}
				step="any"
				value={typeof data.dedupe_window === 'number' ? data.dedupe_window / minute : ''}
				placeholder="5"
				onChange={(event) => set('dedupe_window', event.target.value === '' ? undefined : Math.round(Number(event.target.value) * minute))}
			/>
			<FilterPart {...parts} />
		</>
	);
}

function FilterPart({ data, set }: Parts) {
	return <RulesField label={w.workflows.filter} rules={rulesOf(data.filter)} onChange={(rules) => set('filter', rules.rules.length ? rules : undefined)} />;
}

/** The rules of a draft, which may hold anything. */
function rulesOf(value: unknown): RuleSet {
	if (!isObject(value) || !Array.isArray(value.rules)) return { match: 'all', rules: [] };
	const rules = value.rules.filter(isObject).map((rule) => (Array.isArray(rule.rules) ? rulesOf(rule) : (rule as unknown as Rule)));
	return { match: value.match === 'any' ? 'any' : 'all', rules };
}

function EmailForm(parts: Parts) {
	const { data, set } = parts;
	const templates = useQuery(templatesQuery);
	const topics = useQuery(topicsQuery);
	const template = shown(data.templateId);
	const named = isObject(data.template);
	return (
		<>
			{!named && (
				<Choice
					label={w.workflows.template}
					value={template}
					onChange={(event) => set('templateId', event.target.value || undefined)}
					options={choices(w.workflows.ownText, template, templates.data?.map(({ id, name }) => ({ value: id, name })))}
				/>
			)}
			{named && <p className="help">{w.workflows.published(shown((data.template as Data).id))}</p>}
			<TextPart {...parts} name="subject" label={w.workflows.subject} help={template || named ? w.workflows.subjectHelp : undefined} />
			{!template && !named && (
				<>
					<TextField label={w.workflows.html} help={w.workflows.htmlHelp} rows={8} spellCheck={false} value={shown(data.html)} onChange={(event) => set('html', event.target.value || undefined)} />
					<TextField label={w.workflows.plain} help={w.workflows.plainHelp} rows={3} value={shown(data.text)} onChange={(event) => set('text', event.target.value || undefined)} />
				</>
			)}
			<TextPart {...parts} name="from" label={w.workflows.from} help={w.workflows.fromHelp} />
			<Field
				label={w.workflows.replyTo}
				value={Array.isArray(data.replyTo) ? data.replyTo.join(', ') : shown(data.replyTo)}
				onChange={(event) => set('replyTo', event.target.value.includes(',') ? event.target.value.split(',').map((one) => one.trimStart()) : event.target.value || undefined)}
			/>
			<Choice
				label={w.workflows.mailKind}
				value={shown(data.kind) || 'marketing'}
				onChange={(event) => set('kind', event.target.value)}
				options={Object.entries(w.workflows.mailKinds).map(([value, name]) => ({ value, name }))}
			/>
			<Choice
				label={w.workflows.topic}
				value={shown(data.topicId)}
				onChange={(event) => set('topicId', event.target.value || undefined)}
				options={choices(w.workflows.noTopic, shown(data.topicId), topics.data?.map(({ id, name }) => ({ value: id, name })))}
			/>
		</>
	);
}

/** None, what there is, and what is named but not among these. */
function choices(none: string, now: string, known: { value: string; name: string }[] = []) {
	const rest = now && !known.some(({ value }) => value === now) ? [{ value: now, name: now }] : [];
	return [{ value: '', name: none }, ...known, ...rest];
}

const units = () => Object.entries(w.workflows.unit).map(([value, name]) => ({ value, name }));
const whole = (text: string) => (text === '' ? undefined : Number(text));

function WaitForm(parts: Parts) {
	const { data, set } = parts;
	const until = 'until' in data;
	const change = (next: boolean) => {
		set('duration', next ? undefined : 1);
		set('unit', next ? undefined : 'days');
		set('until', next ? 'event.date' : undefined);
	};
	return (
		<>
			<Choice
				label={w.workflows.waits}
				value={until ? 'until' : 'for'}
				onChange={(event) => change(event.target.value === 'until')}
				options={[
					{ value: 'for', name: w.workflows.waitsFor },
					{ value: 'until', name: w.workflows.waitsUntil },
				]}
			/>
			{until ? (
				<Field label={w.workflows.until} help={w.workflows.untilHelp} value={shown(data.until)} onChange={(event) => set('until', event.target.value)} />
			) : (
				<Duration data={data} set={set} />
			)}
		</>
	);
}

function Duration({ data, set }: Parts) {
	return (
		<div className="pair">
			<Field label={w.workflows.duration} type="number" min={1} value={shown(data.duration)} onChange={(event) => set('duration', whole(event.target.value))} />
			<Choice label={w.workflows.unitName} value={shown(data.unit)} onChange={(event) => set('unit', event.target.value)} options={units()} />
		</div>
	);
}

function EventForm(parts: Parts) {
	const { data, set } = parts;
	const timeout = isObject(data.timeout) ? data.timeout : null;
	return (
		<>
			<TextPart {...parts} name="eventName" label={w.workflows.eventName} help={w.workflows.waitEventHelp} />
			<Choice
				label={w.workflows.timeout}
				value={timeout ? 'yes' : 'no'}
				onChange={(event) => set('timeout', event.target.value === 'yes' ? { duration: 1, unit: 'days' } : undefined)}
				options={[
					{ value: 'yes', name: w.workflows.timeoutYes },
					{ value: 'no', name: w.workflows.timeoutNo },
				]}
			/>
			{timeout && <Duration data={timeout} set={(name, value) => set('timeout', { ...timeout, [name]: value })} />}
			<FilterPart {...parts} />
		</>
	);
}

function ConditionForm({ data, set }: Parts) {
	const change = (rules: RuleSet) => {
		set('match', rules.match);
		set('rules', rules.rules);
	};
	return <RulesField label={w.workflows.rules} rules={rulesOf(data)} onChange={change} />;
}

function UpdateForm({ data, set }: Parts) {
	return (
		<>
			<PairsField label={w.workflows.set} help={w.workflows.setHelp} names={w.workflows.property} values={w.workflows.value} pairs={isObject(data.set) ? data.set : {}} onChange={(pairs) => set('set', pairs)} />
			<PairsField
				label={w.workflows.copyOf}
				help={w.workflows.copyHelp}
				names={w.workflows.property}
				values={w.workflows.path}
				pairs={isObject(data.copy) ? data.copy : {}}
				onChange={(pairs) => set('copy', Object.keys(pairs).length ? pairs : undefined)}
				asText
			/>
		</>
	);
}

function SplitForm({ data, set }: Parts) {
	return (
		<PairsField
			label={w.workflows.sides}
			help={w.workflows.sidesHelp}
			names={w.workflows.side}
			values={w.workflows.share}
			pairs={isObject(data.weights) ? data.weights : {}}
			onChange={(pairs) => set('weights', pairs)}
			fresh={50}
		/>
	);
}
