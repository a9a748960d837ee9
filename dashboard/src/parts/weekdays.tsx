// SPDX-License-Identifier: MIT
// The days of the week, some or all of them.
import { w } from '../words';

const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const;
export type Weekday = (typeof weekdays)[number];

/** `days` left out: all of them, which a change tells in the same way. */
export function Weekdays({ days = weekdays, onChange }: { days?: readonly unknown[]; onChange: (days: Weekday[] | undefined) => void }) {
	const toggle = (day: Weekday, on: boolean) => {
		const next = weekdays.filter((one) => (one === day ? on : days.includes(one)));
		onChange(next.length === weekdays.length ? undefined : next);
	};
	return (
		<div className="row">
			{weekdays.map((day) => (
				<label key={day}>
					<input type="checkbox" checked={days.includes(day)} onChange={(event) => toggle(day, event.target.checked)} /> {w.sending.day[day]}
				</label>
			))}
		</div>
	);
}
