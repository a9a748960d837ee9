// SPDX-License-Identifier: MIT
// Topics or audiences that a step puts a person into or takes out of, by name.
import { choicesUse } from '../../api/choices';
import { Button } from '../../parts/button';
import { Icon } from '../../parts/icon';
import { w } from '../../words';
import { isObject, type Data } from './design';

type Of = 'topics' | 'audiences';
const most = 100;

export function MembershipsField({ of, value, onChange }: { of: Of; value: unknown; onChange: (value: Data | undefined) => void }) {
	const things = choicesUse(of);
	const now: Data = isObject(value) ? value : {};
	const rows = Object.entries(now);
	const free = things.filter(({ id }) => !(id in now));
	const write = (next: [string, unknown][]) => onChange(next.length ? Object.fromEntries(next) : undefined);
	const states = Object.entries(w.workflows.choiceStates[of]);
	return (
		<div className="stack" role="group" aria-label={of === 'topics' ? w.topics.name : w.audiences.name}>
			{rows.map(([id, state], index) => (
				<div key={id} className="pair">
					<select aria-label={w.workflows.choiceOf[of]} value={id} onChange={(event) => write(rows.with(index, [event.target.value, state]))}>
						{[...(things.some((one) => one.id === id) ? [] : [{ id, name: id }]), ...things.filter((one) => one.id === id || !(one.id in now))].map((one) => (
							<option key={one.id} value={one.id}>
								{one.name}
							</option>
						))}
					</select>
					<select aria-label={w.workflows.choiceState} value={String(state)} onChange={(event) => write(rows.with(index, [id, JSON.parse(event.target.value) as unknown]))}>
						{states.map(([value, name]) => (
							<option key={value} value={value}>
								{name}
							</option>
						))}
					</select>
					<button type="button" className="icon-button" aria-label={w.workflows.removePair(things.find((one) => one.id === id)?.name ?? id)} onClick={() => write(rows.toSpliced(index, 1))}>
						<Icon name="close" />
					</button>
				</div>
			))}
			{free.length > 0 && rows.length < most && (
				<div>
					<Button look="quiet" onClick={() => write([...rows, [free[0].id, true]])}>
						{w.workflows.choiceAdd[of]}
					</Button>
				</div>
			)}
		</div>
	);
}
