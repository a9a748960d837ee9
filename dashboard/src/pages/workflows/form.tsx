// SPDX-License-Identifier: MIT
// The form of a chosen node: its name, what its type needs, and where its ways out lead.
import { useQuery } from '@tanstack/react-query';
import { Choice, Field, TextField } from '../../parts/field';
import { w } from '../../words';
import { edgeOf, isClosed, isObject, waysOut, withData, withEdge, type Data, type Step } from './design';
import { choices, Duration, FilterPart, rulesOf, SegmentPart, shown, TextPart, type Parts } from './form-parts';
import type { DrawingOf } from './history';
import { kindName, stepNameOf, wayName } from './kinds';
import { templatesQuery, topicsQuery } from './query';
import { DigestForm, MembershipParts, RequestForm, WaitForm } from './node-forms';
import { PairsField, RulesField, type RuleSet } from './rules';
import { TriggerForm } from './trigger-form';

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
					help={edgeOf(design, node.id, way) && isClosed(node, way) && <span className="warning">{w.workflows.wayClosed}</span>}
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
	if (type === 'digest') return <DigestForm {...parts} />;
	if (type === 'request') return <RequestForm {...parts} />;
	return null;
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
			<Choice
				label={w.workflows.priority}
				value={shown(data.priority) || 'normal'}
				onChange={(event) => set('priority', event.target.value)}
				options={Object.entries(w.workflows.priorities).map(([value, name]) => ({ value, name }))}
			/>
			<Choice
				label={w.workflows.ignoreCap}
				value={data.ignoreCap === true ? 'yes' : 'no'}
				onChange={(event) => set('ignoreCap', event.target.value === 'yes' ? true : undefined)}
				options={[{ value: 'no', name: w.segments.no }, { value: 'yes', name: w.segments.yes }]}
			/>
		</>
	);
}

function EventForm(parts: Parts) {
	const { data, set } = parts;
	const timeout = isObject(data.timeout) ? data.timeout : null;
	return (
		<>
			<TextPart {...parts} name="eventName" label={w.workflows.eventName} help={w.workflows.waitEventHelp} />
			{shown(data.eventName).startsWith('segment.') && <SegmentPart {...parts} />}
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
			<MembershipParts data={data} set={set} />
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
