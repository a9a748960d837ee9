// SPDX-License-Identifier: MIT
// A pause of mailings to a person: until when, and by whom.
import { queryOptions, useQuery, useQueryClient } from '@tanstack/react-query';
import { api, taken } from '../../api/client';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Time } from '../../parts/time';
import { w } from '../../words';

const weeks = [2, 4, 8, 13, 26, 52];
const of = (email: string) => ({ path: { email } });
const snoozeQuery = (email: string) => queryOptions({ queryKey: ['person', email, 'snooze'], queryFn: () => taken(api.GET('/v1/people/{email}/snooze', { params: of(email) })) });

export function Snooze({ email }: { email: string }) {
	const { data: now } = useQuery(snoozeQuery(email));
	const data = useQueryClient();
	const may = mayChangeUse();
	if (!now) return null;
	const save = async (values: FormData) => {
		const why = said(values, 'why');
		const chosen = Number(said(values, 'weeks'));
		if (chosen) await taken(api.PUT('/v1/people/{email}/snooze', { params: of(email), body: { until: new Date(Date.now() + chosen * 7 * 86_400_000).toISOString(), ...(why ? { override: why } : {}) } }));
		else await taken(api.DELETE('/v1/people/{email}/snooze', { params: { ...of(email), query: { override: why || undefined } } }));
		for (const queryKey of [['person', email], ['history', email]]) void data.invalidateQueries({ queryKey });
	};
	return (
		<section className="card">
			<div className="bar">
				<h2>{w.snooze.name}</h2>
				{may && (
					<FormButton look="quiet" name={w.snooze.change} title={w.snooze.name} action={w.do.save} onSubmit={save}>
						<p>{w.snooze.text}</p>
						<Choice label={w.snooze.length} name="weeks" options={[...weeks.map((n) => ({ value: String(n), name: w.snooze.weeks(n) })), ...(now.until ? [{ value: '0', name: w.snooze.end }] : [])]} />
						{now.by === 'person' && <Field label={w.snooze.why} help={w.snooze.whyHelp} name="why" maxLength={500} />}
					</FormButton>
				)}
			</div>
			<p>
				{now.until ? (
					<>
						<Time at={now.until} form="minute" /> <span className="soft">{now.by && w.snooze.by[now.by]}</span>
					</>
				) : (
					<span className="soft">{w.snooze.none}</span>
				)}
			</p>
		</section>
	);
}
