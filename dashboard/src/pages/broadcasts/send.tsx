// SPDX-License-Identifier: MIT
// When a broadcast leaves: now, at a time, or at a time of each person's own clock; all at once or spread.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { w } from '../../words';
import { broadcastSend } from './query';

const hour = 3_600_000;
const zones = ['UTC', ...Intl.supportedValuesOf('timeZone').filter((zone) => zone !== 'UTC')];
const zoneHere = Intl.DateTimeFormat().resolvedOptions().timeZone;

export function Send({ id }: { id: string }) {
	const [when, setWhen] = useState('now');
	const data = useQueryClient();
	const send = async (values: FormData) => {
		const spread = Math.round(Number(said(values, 'spread')) * hour);
		const time = said(values, 'time');
		await broadcastSend(id, {
			...(when === 'at' ? { scheduled_at: new Date(time).getTime() } : {}),
			...(when === 'local' ? { local_time: time, time_zone: said(values, 'zone') } : {}),
			...(spread ? { spread } : {}),
		});
		await data.invalidateQueries({ queryKey: ['broadcast', id] });
		void data.invalidateQueries({ queryKey: ['broadcasts'] });
	};
	return (
		<FormButton name={w.broadcasts.send} title={w.broadcasts.send} action={when === 'now' ? w.broadcasts.sendNow : w.broadcasts.schedule} onSubmit={send}>
			<p>{w.broadcasts.sendText}</p>
			<Choice
				label={w.broadcasts.when}
				value={when}
				onChange={(event) => setWhen(event.target.value)}
				options={[{ value: 'now', name: w.broadcasts.now }, { value: 'at', name: w.broadcasts.atTime }, { value: 'local', name: w.broadcasts.atLocal }]}
			/>
			{when !== 'now' && <Field label={w.broadcasts.time} name="time" type="datetime-local" required />}
			{when === 'local' && <Choice label={w.broadcasts.zone} help={w.broadcasts.zoneHelp} name="zone" defaultValue={zoneHere} options={zones.map((zone) => ({ value: zone, name: zone }))} />}
			<Field label={w.broadcasts.spread} help={w.broadcasts.spreadHelp} name="spread" type="number" min={0} max={168} step="any" />
		</FormButton>
	);
}
