// SPDX-License-Identifier: MIT
// When a broadcast leaves: now, at a time, or at a time of each person's own clock; all at once or spread. A review of what
// leaves, and to whom, stands above the button.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { numberText, timeText } from '../../parts/time';
import { w } from '../../words';
import type { Saver } from './compose';
import { broadcastSend, reviewQuery, type Broadcast } from './query';
import { Review, typedUse } from './review';

const hour = 3_600_000;
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;

/** A time as a field for one of this browser's zone has it. */
const fieldTime = (ms: number) => new Date(ms - new Date(ms).getTimezoneOffset() * 60_000).toISOString().slice(0, 16);

export function Send({ broadcast, saver }: { broadcast: Broadcast; saver: RefObject<Saver | null> }) {
	const { id } = broadcast;
	const [when, setWhen] = useState('now');
	const [time, setTime] = useState('');
	const [zone, setZone] = useState(zoneHere);
	const [least, setLeast] = useState('');
	const [opened, setOpened] = useState(0);
	const data = useQueryClient();
	const review = useQuery({ ...reviewQuery(id, opened), enabled: opened > 0 });
	const typed = typedUse(broadcast, review.data?.report.recipients);
	const open = async () => {
		await saver.current?.();
		setLeast(fieldTime(Date.now() + 60_000));
		setOpened(Date.now());
	};
	const send = async (values: FormData) => {
		const at = new Date(time).getTime();
		if (when === 'at' && at < Date.now()) throw new Error(w.broadcasts.past);
		typed.check(values);
		const spread = Math.round(Number(said(values, 'spread')) * hour);
		await broadcastSend(id, {
			...(when === 'at' ? { scheduled_at: at } : {}),
			...(when === 'local' ? { local_time: time, time_zone: zone } : {}),
			...(spread ? { spread } : {}),
		});
		await data.invalidateQueries({ queryKey: ['broadcast', id] });
		void data.invalidateQueries({ queryKey: ['broadcasts'] });
	};
	const leaves = when === 'now' ? w.broadcasts.now : !time ? '–' : when === 'at' ? `${timeText(new Date(time).getTime(), 'minute')} (${zoneHere})` : w.broadcasts.localAt(time.replace('T', ' '), zone);
	return (
		<FormButton
			wide
			name={w.broadcasts.send}
			title={w.broadcasts.review}
			action={when === 'now' ? w.broadcasts.sendNow : w.broadcasts.schedule}
			before={open}
			disabled={!review.data?.report.ok}
			onSubmit={send}
		>
			<div className="filters">
				<Choice
					label={w.broadcasts.when}
					value={when}
					onChange={(event) => setWhen(event.target.value)}
					options={[{ value: 'now', name: w.broadcasts.now }, { value: 'at', name: w.broadcasts.atTime }, { value: 'local', name: w.broadcasts.atLocal }]}
				/>
				{when !== 'now' && (
					<Field
						label={w.broadcasts.time}
						help={when === 'at' ? w.broadcasts.zoneHere(zoneHere) : undefined}
						type="datetime-local"
						min={least}
						value={time}
						onChange={(event) => setTime(event.target.value)}
						required
					/>
				)}
				{when === 'local' && (
					<Choice label={w.broadcasts.zone} help={w.broadcasts.zoneHelp} value={zone} onChange={(event) => setZone(event.target.value)} options={zones.map((zone) => ({ value: zone, name: zone }))} />
				)}
				<Field label={w.broadcasts.spread} help={w.broadcasts.spreadHelp} name="spread" type="number" min={0} max={168} step="any" />
			</div>
			<Review broadcast={broadcast} asked={review} leaves={leaves} />
			{typed.wanted && <Field label={typed.wanted} name="typed" inputMode={typed.number ? 'numeric' : undefined} placeholder={typed.number ? numberText(typed.number) : undefined} required />}
		</FormButton>
	);
}
