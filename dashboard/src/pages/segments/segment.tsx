// SPDX-License-Identifier: MIT
// One segment: its rules to build, whom they find now, and who is in it.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { Link, useLocation } from 'wouter';
import { draftUse } from '../../api/draft';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { isOvertaken, versionUse } from '../../api/version';
import { Button } from '../../parts/button';
import { Conflict, differencesOf } from '../../parts/conflict';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { DraftFound } from '../../parts/draft-found';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty, Ready } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { unsavedUse, workForget } from '../../parts/unsaved';
import { w } from '../../words';
import { Subscribed } from '../people/subscribed';
import { GroupForm } from './builder';
import { Found, Counted } from './found';
import { membersUse, segmentAdd, segmentChange, segmentDelete, segmentFreeze, segmentNow, segmentQuery, type Segment } from './query';
import { everybody, stored, type Group } from './rule';

export default function SegmentPage({ params: { id } }: { params: Record<string, string> }) {
	return id ? <Known key={id} id={id} /> : <New />;
}

function New() {
	const [, go] = useLocation();
	const add = changeUse(({ name, rules }: Input) => segmentAdd(name, rules), {
		touches: [['segments']],
		done: w.segments.saved,
		then: ({ id }) => {
			workForget();
			go(`/segments/${id}`, { replace: true });
		},
	});
	return (
		<>
			<Head title={w.segments.add} text={w.segments.newText} back={{ to: '/segments', name: w.segments.name }} />
			<Form id="new" name="" rules={everybody} busy={add.isPending} onSave={(input) => add.mutateAsync(input)} />
		</>
	);
}

function Known({ id }: { id: string }) {
	const segment = useQuery(segmentQuery(id));
	const may = mayChangeUse();
	const save = changeUse(({ name, rules, headers }: Input & { headers: Record<string, string> }) => segmentChange(id, name, segment.data?.frozen_at ? undefined : rules, headers), {
		touches: [['segments'], ['segment', id]],
		done: w.segments.saved,
	});
	return (
		<>
			<Head title={segment.data?.name ?? w.segments.segment} back={{ to: '/segments', name: w.segments.name }}>
				{may && segment.data && <Actions segment={segment.data} />}
			</Head>
			<Ready of={segment}>
				{({ name, rules, frozen_at }) =>
					may && !frozen_at ? (
						<Form id={id} name={name} rules={stored(rules)} busy={save.isPending} onSave={(input) => save.mutateAsync(input)} />
					) : (
						<div className="two">
							<section className="card">
								<h2>{w.segments.rules}</h2>
								{frozen_at && (
									<p>
										{w.segments.frozenAt} <Time at={frozen_at} />
									</p>
								)}
								<GroupForm group={stored(rules)} level={1} disabled onChange={() => {}} />
							</section>
							<Counted id={id} />
						</div>
					)
				}
			</Ready>
			<Members id={id} />
		</>
	);
}

interface Input {
	name: string;
	rules: Group;
}

interface FormProps extends Input {
	/** `new`, where it is not stored yet. */
	id: string;
	busy: boolean;
	onSave: (input: Input & { headers: Record<string, string> }) => Promise<unknown>;
}

function Form({ id, name: firstName, rules: first, busy, onSave }: FormProps) {
	const version = versionUse(`/v1/segments/${id}`);
	const [theirs, setTheirs] = useState<Segment | null>(null);
	const [name, setName] = useState(firstName);
	const [rules, setRules] = useState(first);
	const form = useRef<HTMLFormElement>(null);
	const [saved, setSaved] = useState(() => JSON.stringify([firstName, first]));
	const dirty = JSON.stringify([name, rules]) !== saved;
	const tried = lateUse(rules);
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		void keep().catch(() => {});
	};
	const keep = async () => {
		if (!form.current!.reportValidity()) throw new Error(w.unsaved.invalid);
		try {
			await onSave({ name: name.trim(), rules, headers: version.headers() });
		} catch (why) {
			if (isOvertaken(why)) setTheirs(await segmentNow(id));
			throw why;
		}
		version.renew();
		setSaved(JSON.stringify([name, rules]));
	};
	unsavedUse(dirty, keep);
	const kept = draftUse<Input>('segment', id, { dirty, edit: JSON.stringify([name, rules]), read: () => ({ name, rules }) });
	const take = (input: Input) => {
		setName(input.name);
		setRules(input.rules);
	};
	return (
		<>
			{kept.kept && !dirty && (
				<DraftFound
					at={kept.kept.updated}
					onTake={() => {
						take(kept.kept!.value);
						kept.take();
					}}
					onDrop={kept.drop}
				/>
			)}
			<Conflict
				differences={theirs && differencesOf({ name, rules }, { name: theirs.name, rules: stored(theirs.rules) }, { name: w.segments.segment, rules: w.segments.rules })}
				onClose={() => setTheirs(null)}
				onMine={() => {
					setTheirs(null);
					version.renew();
					void keep().catch(() => {});
				}}
				onTheirs={() => {
					version.renew();
					take({ name: theirs!.name, rules: stored(theirs!.rules) });
					setSaved(JSON.stringify([theirs!.name, stored(theirs!.rules)]));
					setTheirs(null);
				}}
			/>
			<form className="two" ref={form} onSubmit={submit}>
				<section className="card">
					<Field label={w.segments.segment} name="name" value={name} onChange={(event) => setName(event.target.value)} maxLength={100} required />
					<h2>{w.segments.rules}</h2>
					<GroupForm group={rules} level={1} onChange={setRules} />
					<div className="row">
						<Button type="submit" look="main" busy={busy}>
							{w.do.save}
						</Button>
						{dirty && <span className="soft">{w.unsaved.mark}</span>}
					</div>
				</section>
				<Found rules={tried} waits={tried !== rules} />
			</form>
		</>
	);
}

/** A value once it has stayed for a moment, so that not every key is a question to the service. */
function lateUse<T>(value: T) {
	const [late, setLate] = useState(value);
	useEffect(() => {
		const timer = setTimeout(() => setLate(value), 400);
		return () => clearTimeout(timer);
	}, [value]);
	return late;
}

function Actions({ segment: { id, name, frozen_at } }: { segment: Segment }) {
	const [, go] = useLocation();
	const freeze = changeUse((frozen: string) => segmentFreeze(id, frozen), {
		touches: [['segments']],
		done: ({ count }) => w.segments.frozen(count ?? 0),
		then: (made) => go(`/segments/${made.id}`),
	});
	const remove = changeUse(() => segmentDelete(id), { touches: [['segments']], done: w.segments.removed, then: () => {
			workForget();
			go('/segments');
		} });
	return (
		<>
			{!frozen_at && (
				<FormButton look="plain" name={w.segments.freeze} title={w.segments.freeze} action={w.segments.freeze} onSubmit={(values) => freeze.mutateAsync(said(values, 'name'))}>
					<p>{w.segments.freezeText}</p>
					<Field label={w.segments.segment} name="name" defaultValue={name} maxLength={100} required />
				</FormButton>
			)}
			<ConfirmButton name={w.segments.remove} title={w.segments.removeTitle(name)} text={w.segments.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}

function Members({ id }: { id: string }) {
	const list = membersUse(id);
	return (
		<section className="section" data-late>
			<h2>{w.segments.members}</h2>
			<ListTable
				label={w.segments.members}
				list={list}
				id={(person) => person.id}
				empty={<Empty title={w.segments.nobody} />}
				columns={[
					{ name: w.people.email, cell: ({ email }) => <Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link> },
					{ name: w.people.person, cell: ({ first_name, last_name }) => [first_name, last_name].filter(Boolean).join(' ') || '–' },
					{ name: w.people.state, cell: (person) => <Subscribed of={person} /> },
					{ name: w.people.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
				]}
			/>
		</section>
	);
}
