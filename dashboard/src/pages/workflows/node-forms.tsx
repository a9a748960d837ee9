// SPDX-License-Identifier: MIT
// The forms of the nodes that wait, gather and ask, and what a node changes of a person's choices.
import { Choice, Field } from '../../parts/field';
import { Weekdays } from '../../parts/weekdays';
import { w } from '../../words';
import { BodyField } from './body-field';
import { isObject } from './design';
import { Duration, shown, TextPart, whole, type Parts } from './form-parts';
import { JsonField } from './json-field';
import { MembershipsField } from './memberships';
import { PairsField } from './rules';

type Waiting = 'for' | 'until' | 'time' | 'before' | 'after';
const begins: Record<Waiting, Record<string, unknown>> = {
	for: { duration: 1, unit: 'days' },
	until: { until: 'event.date' },
	time: { time: '09:00' },
	before: { until: 'event.date', before: { duration: 1, unit: 'days' } },
	after: { until: 'event.date', after: { duration: 1, unit: 'days' } },
};
const members = ['duration', 'unit', 'until', 'time', 'days', 'zone', 'before', 'after'];

export function WaitForm(parts: Parts) {
	const { data, set } = parts;
	const now: Waiting = 'time' in data ? 'time' : 'before' in data ? 'before' : 'after' in data ? 'after' : 'until' in data ? 'until' : 'for';
	const change = (next: Waiting) => members.forEach((name) => set(name, begins[next][name]));
	const shift = now === 'before' || now === 'after' ? now : null;
	return (
		<>
			<Choice
				label={w.workflows.waits}
				value={now}
				onChange={(event) => change(event.target.value as Waiting)}
				options={[
					{ value: 'for', name: w.workflows.waitsFor },
					{ value: 'until', name: w.workflows.waitsUntil },
					{ value: 'time', name: w.workflows.waitsTime },
					{ value: 'before', name: w.workflows.waitsBefore },
					{ value: 'after', name: w.workflows.waitsAfter },
				]}
			/>
			{now === 'for' && <Duration data={data} set={set} />}
			{now === 'time' && <ClockParts {...parts} />}
			{'until' in data && <Field label={w.workflows.until} help={w.workflows.untilHelp} value={shown(data.until)} onChange={(event) => set('until', event.target.value)} />}
			{shift && <ShiftPart {...parts} name={shift} />}
		</>
	);
}

function ShiftPart({ data, set, name }: Parts & { name: string }) {
	const now = isObject(data[name]) ? data[name] : {};
	return <Duration data={now} set={(member, value) => set(name, { ...now, [member]: value })} />;
}

/** A time of day, on some days of the week. */
function ClockParts(parts: Parts) {
	const { data, set } = parts;
	return (
		<>
			<TextPart {...parts} name="time" label={w.workflows.clock} placeholder="09:00" />
			<Weekdays days={Array.isArray(data.days) ? data.days : undefined} onChange={(days) => set('days', days)} />
			<TextPart {...parts} name="zone" label={w.workflows.zone} help={w.workflows.zoneHelp} placeholder="UTC" />
		</>
	);
}

export function DigestForm(parts: Parts) {
	const { data, set } = parts;
	const clock = 'time' in data;
	const change = (next: boolean) => members.forEach((name) => set(name, begins[next ? 'time' : 'for'][name]));
	return (
		<>
			<Choice
				label={w.workflows.gathers}
				value={clock ? 'time' : 'for'}
				onChange={(event) => change(event.target.value === 'time')}
				options={[{ value: 'for', name: w.workflows.waitsFor }, { value: 'time', name: w.workflows.waitsTime }]}
			/>
			{clock ? <ClockParts {...parts} /> : <Duration data={data} set={set} />}
			<TextPart {...parts} name="key" label={w.workflows.key} help={w.workflows.digestKeyHelp} placeholder="event.project" />
		</>
	);
}

const methods = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'];

export function RequestForm(parts: Parts) {
	const { data, set } = parts;
	const method = shown(data.method) || 'POST';
	return (
		<>
			<TextPart {...parts} name="url" label={w.webhooks.url} help={w.workflows.urlHelp} placeholder="https://example.com/people/{{contact.email}}" />
			<Choice label={w.workflows.method} value={method} onChange={(event) => set('method', event.target.value)} options={methods.map((value) => ({ value, name: value }))} />
			<PairsField
				label={w.workflows.headers}
				help={w.workflows.headersHelp}
				names={w.workflows.header}
				values={w.workflows.value}
				pairs={isObject(data.headers) ? data.headers : {}}
				onChange={(pairs) => set('headers', Object.keys(pairs).length ? pairs : undefined)}
				asText
			/>
			{method !== 'GET' && method !== 'DELETE' && <BodyField body={data.body} onChange={(value) => set('body', value)} />}
			<div className="pair">
				<Field label={w.workflows.seconds} type="number" min={1} max={30} placeholder="10" value={shown(data.timeout)} onChange={(event) => set('timeout', whole(event.target.value))} />
				<Field label={w.workflows.attempts} type="number" min={1} max={5} placeholder="5" value={shown(data.attempts)} onChange={(event) => set('attempts', whole(event.target.value))} />
			</div>
		</>
	);
}

/** What a person wants, as an operator sets it. */
export function MembershipParts({ data, set }: Parts) {
	const subscribed = typeof data.subscribed === 'boolean' ? String(data.subscribed) : '';
	return (
		<>
			{isObject(data.subscribed) ? (
				<JsonField label={w.people.state} value={data.subscribed} onChange={(value) => set('subscribed', value)} rows={2} />
			) : (
				<Choice
					label={w.people.state}
					value={subscribed}
					onChange={(event) => set('subscribed', event.target.value ? event.target.value === 'true' : undefined)}
					options={[{ value: '', name: w.workflows.unchanged }, { value: 'true', name: w.people.subscribed }, { value: 'false', name: w.people.unsubscribed }]}
				/>
			)}
			<MembershipsField of="topics" value={data.topics} onChange={(value) => set('topics', value)} />
			<MembershipsField of="audiences" value={data.audiences} onChange={(value) => set('audiences', value)} />
		</>
	);
}
