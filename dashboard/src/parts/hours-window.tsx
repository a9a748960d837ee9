// SPDX-License-Identifier: MIT
// A window of sending hours: from, to, and the days on which it is open.
import { w } from '../words';
import { Button } from './button';
import { Field } from './field';
import { Weekdays, type Weekday } from './weekdays';

/** Without days it is open on all of them. */
export interface Window {
	from: string;
	to: string;
	days?: Weekday[];
}

export const freshWindow: Window = { from: '08:00', to: '20:00' };
const mostWindows = 7;

interface Props {
	of: Window;
	number: number;
	onChange: (of: Window) => void;
	/** Left out: it cannot be removed. */
	onRemove?: () => void;
}

function HoursWindow({ of, number, onChange, onRemove }: Props) {
	const { days, ...times } = of;
	return (
		<fieldset className="rules">
			<legend className="help">{w.sending.window(number)}</legend>
			<div className="pair">
				<Field label={w.sending.from} value={of.from} placeholder="08:00" pattern="\d\d:\d\d" required onChange={(event) => onChange({ ...of, from: event.target.value })} />
				<Field label={w.sending.to} value={of.to} placeholder="20:00" pattern="\d\d:\d\d" required onChange={(event) => onChange({ ...of, to: event.target.value })} />
			</div>
			<Weekdays days={days} onChange={(days) => onChange(days ? { ...times, days } : times)} />
			{onRemove && (
				<div>
					<Button look="quiet" onClick={onRemove}>
						{w.sending.windowRemove}
					</Button>
				</div>
			)}
		</fieldset>
	);
}

/** All windows, and a button for one more. */
export function HoursWindows({ windows, onChange, fixed }: { windows: Window[]; onChange: (windows: Window[]) => void; fixed?: boolean }) {
	return (
		<>
			{windows.map((one, index) => (
				<HoursWindow
					key={index}
					of={one}
					number={index + 1}
					onChange={(next) => onChange(windows.with(index, next))}
					onRemove={!fixed && windows.length > 1 ? () => onChange(windows.toSpliced(index, 1)) : undefined}
				/>
			))}
			{!fixed && windows.length < mostWindows && (
				<div>
					<Button look="quiet" onClick={() => onChange([...windows, freshWindow])}>
						{w.sending.windowAdd}
					</Button>
				</div>
			)}
		</>
	);
}
