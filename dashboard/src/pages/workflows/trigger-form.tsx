// SPDX-License-Identifier: MIT
// What starts a workflow, by its event: an event of a program, a segment, a date, a schedule, or by hand; and what ends it.
import { choicesUse } from '../../api/choices';
import { Choice, Field } from '../../parts/field';
import { w } from '../../words';
import { ExitPart, GoalPart, HoursPart } from './endings';
import { choices, FilterPart, SegmentPart, shown, TextPart, whole, within, type Parts } from './form-parts';
import { Ticks } from './ticks';

const minute = 60_000;
const byHand = 'workflow.started';
const looked = ['segment.entered', 'segment.left'];
const own = [byHand, ...looked, 'date.reached', 'schedule.due', 'contact.created', 'contact.confirmed', 'topic.joined', 'topic.left', 'form.submitted', 'person.created', 'person.updated'];

export function TriggerForm(parts: Parts) {
	const { data, set } = parts;
	const event = shown(data.eventName);
	return (
		<>
			<TextPart {...parts} name="eventName" label={w.workflows.eventName} help={w.workflows.eventHelp} list="own-events" />
			<datalist id="own-events">
				{own.map((name) => (
					<option key={name} value={name} />
				))}
			</datalist>
			{looked.includes(event) && <SegmentPart {...parts} />}
			{event === 'segment.entered' && (
				<Choice
					label={w.workflows.include}
					value={shown(data.include) || 'new'}
					onChange={(change) => set('include', change.target.value)}
					options={Object.entries(w.workflows.includes).map(([value, name]) => ({ value, name }))}
				/>
			)}
			{event === 'date.reached' && <DatePart {...parts} />}
			{event === 'schedule.due' && <SchedulePart {...parts} />}
			<Choice
				label={w.workflows.reentry}
				value={shown(data.reentry) || 'every'}
				onChange={(change) => set('reentry', change.target.value)}
				options={Object.entries(w.workflows.reentries).map(([value, name]) => ({ value, name }))}
			/>
			<TextPart {...parts} name="key" label={w.workflows.key} help={w.workflows.keyHelp} placeholder="event.order_id" />
			<Field
				label={w.workflows.dedupe}
				help={w.workflows.dedupeHelp}
				type="number"
				min={0}
				step="any"
				value={typeof data.dedupe_window === 'number' ? data.dedupe_window / minute : ''}
				placeholder="5"
				onChange={(change) => set('dedupe_window', change.target.value === '' ? undefined : Math.round(Number(change.target.value) * minute))}
			/>
			<FilterPart {...parts} />
			<GoalPart {...parts} />
			<ExitPart {...parts} />
			<HoursPart {...parts} />
		</>
	);
}

function DatePart(parts: Parts) {
	const date = within(parts, 'date');
	return (
		<>
			<TextPart {...date} name="property" label={w.workflows.dateProperty} help={w.workflows.datePropertyHelp} placeholder="birthday" />
			<div className="pair">
				<Field label={w.workflows.dateDays} type="number" min={-366} max={366} value={shown(date.data.days)} placeholder="0" onChange={(event) => date.set('days', whole(event.target.value))} />
				<TextPart {...date} name="at" label={w.workflows.clock} placeholder="09:00" />
			</div>
			<TextPart {...date} name="zone" label={w.workflows.zone} help={w.workflows.zoneHelp} placeholder="UTC" />
			<Choice
				label={w.workflows.repeat}
				value={shown(date.data.repeat) || 'once'}
				onChange={(event) => date.set('repeat', event.target.value)}
				options={Object.entries(w.workflows.repeats).map(([value, name]) => ({ value, name }))}
			/>
		</>
	);
}

function SchedulePart(parts: Parts) {
	const schedule = within(parts, 'schedule');
	const audiences = choicesUse('audiences');
	const { data, set } = parts;
	return (
		<>
			<TextPart {...schedule} name="cron" label={w.workflows.cron} help={w.workflows.cronHelp} placeholder="0 9 * * 1" />
			<TextPart {...schedule} name="zone" label={w.workflows.zone} placeholder="UTC" />
			<Choice
				label={w.audiences.audience}
				value={shown(data.audienceId)}
				onChange={(event) => set('audienceId', event.target.value || undefined)}
				options={choices('–', shown(data.audienceId), audiences.map(({ id, name }) => ({ value: id, name })))}
			/>
			{!data.audienceId && <SegmentPart {...parts} />}
			<Ticks schedule={schedule.data} {...(data.audienceId ? { audienceId: data.audienceId } : { segmentId: data.segmentId })} />
		</>
	);
}
