// SPDX-License-Identifier: MIT
// Each recipient of a broadcast, and what became of their message: filtered by what they did, of whom a segment is made.
import { useQueryClient } from '@tanstack/react-query';
import { Link, useLocation, useSearchParams } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { deeds, recipientsUse, rulesOf, segmentAdd, type Broadcast, type RecipientFilter, type RecipientStatus } from './query';
import { End } from './status';

const statuses = ['pending', 'sent', 'delayed', 'failed', 'skipped', 'cancelled'] as const satisfies RecipientStatus[];

/** The filters in the order of the list, by their words in the address. */
const filters = (): { value: string; name: string; filter: RecipientFilter }[] => [
	...deeds.map((did) => ({ value: did, name: w.broadcasts.did[did], filter: { did } })),
	...(['opened', 'clicked'] as const).map((did_not) => ({ value: `not_${did_not}`, name: w.broadcasts.didNot[did_not], filter: { did_not } })),
	...statuses.map((status) => ({ value: `is_${status}`, name: w.broadcasts.ends[status], filter: { status } })),
];

export function Recipients({ broadcast }: { broadcast: Broadcast }) {
	const { id } = broadcast;
	const [search, setSearch] = useSearchParams();
	const all = filters();
	const chosen = all.find(({ value }) => value === search.get('recipients'));
	const list = recipientsUse(id, chosen?.filter ?? {});
	const rules = chosen && rulesOf(id, chosen.filter);
	const may = mayChangeUse();
	return (
		<section className="section" aria-label={w.broadcasts.recipients}>
			<div className="bar">
				<h2>{w.broadcasts.recipients}</h2>
				{may && rules && <MakeSegment key={chosen.value} name={`${broadcast.name}: ${chosen.name}`} rules={rules} />}
			</div>
			<Choice
				label={w.broadcasts.whoDid}
				value={chosen?.value ?? ''}
				onChange={(event) => setSearch(event.target.value ? { recipients: event.target.value } : {}, { replace: true })}
				options={[{ value: '', name: w.broadcasts.anyStatus }, ...all]}
			/>
			<ListTable
				label={w.broadcasts.recipients}
				list={list}
				id={({ email, due, sent_at }) => `${email} ${due} ${sent_at}`}
				empty={<Empty title={w.broadcasts.noRecipients} />}
				columns={[
					{ name: w.people.email, cell: ({ email }) => (email ? <Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link> : <span className="soft">{w.suppressions.erased}</span>) },
					{
						name: w.broadcasts.status,
						cell: ({ status, reason }) => (
							<>
								<End of={status} /> {reason && <span className="soft">{w.broadcasts.reasons[reason]}</span>}
							</>
						),
					},
					{ name: w.figure.opened, minor: true, cell: ({ opened_at }) => <Time at={opened_at} /> },
					{ name: w.figure.clicked, minor: true, cell: ({ clicked_at }) => <Time at={clicked_at} /> },
				]}
			/>
		</section>
	);
}

const longest = 100;

/** Makes a segment of those who are shown, and of whoever will do the same. */
function MakeSegment({ name, rules }: { name: string; rules: object }) {
	const data = useQueryClient();
	const [, go] = useLocation();
	const make = async (values: FormData) => {
		const segment = await segmentAdd(said(values, 'name'), rules);
		void data.invalidateQueries({ queryKey: ['segments'] });
		go(`/segments/${segment.id}`);
	};
	return (
		<FormButton look="plain" name={w.broadcasts.makeSegment} title={w.broadcasts.makeSegment} action={w.do.create} onSubmit={make}>
			<p>{w.broadcasts.makeSegmentText}</p>
			<Field label={w.segments.segment} name="name" defaultValue={name.slice(0, longest)} maxLength={longest} required />
		</FormButton>
	);
}
