// SPDX-License-Identifier: MIT
// One person: what is known, what they want, what happened.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { isOwnerUse, mayChangeUse } from '../../api/session';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { noticeUse } from '../../parts/notice';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { History } from './history';
import { personChange, personDelete, personErase, personQuery, type Person } from './query';
import { Subscribed } from './subscribed';

export default function PersonPage({ params }: { params: Record<string, string> }) {
	const email = params.email;
	const person = useQuery(personQuery(email));
	const [, go] = useLocation();
	const remove = changeUse(() => personDelete(email), { touches: [['people']], done: w.people.removed, then: () => go('/people') });
	return (
		<>
			<Head title={email} back={{ to: '/people', name: w.people.name }}>
				<Link className="button" to={`/emails?to=${encodeURIComponent(email)}`}>
					{w.people.emails}
				</Link>
				{mayChangeUse() && <ConfirmButton name={w.people.remove} title={w.people.removeTitle(email)} text={w.people.removeText} onConfirm={() => remove.mutate()} />}
				{isOwnerUse() && <Erase email={email} />}
			</Head>
			<div className="two">
				<History email={email} />
				<Ready of={person}>
					{(person) => (
						<div className="section">
							<Facts person={person} />
							<Topics person={person} />
						</div>
					)}
				</Ready>
			</div>
		</>
	);
}

/** Erasing cannot be undone, and reaches emails, too: who does it types the address. */
function Erase({ email }: { email: string }) {
	const data = useQueryClient();
	const notice = noticeUse();
	const [, go] = useLocation();
	const erase = async (values: FormData) => {
		if (said(values, 'typed').toLowerCase() !== email.toLowerCase()) throw new Error(w.people.eraseOther);
		await personErase(email);
		for (const key of ['people', 'emails', 'email', 'contacts', 'suppressions']) void data.invalidateQueries({ queryKey: [key] });
		notice(w.people.erased);
		go('/people');
	};
	return (
		<FormButton look="bad" name={w.people.erase} title={w.people.eraseTitle(email)} action={w.people.erase} onSubmit={erase}>
			<p>{w.people.eraseText}</p>
			<Field label={w.people.eraseTyped} name="typed" required />
		</FormButton>
	);
}

function Facts({ person }: { person: Person }) {
	const properties = Object.entries(person.properties);
	return (
		<section className="card">
			<h2>{w.people.details}</h2>
			<dl className="facts">
				<dt>{w.people.state}</dt>
				<dd>
					<Subscribed of={person} />
				</dd>
				<dt>{w.people.person}</dt>
				<dd>{[person.first_name, person.last_name].filter(Boolean).join(' ') || '–'}</dd>
				<dt>{w.people.language}</dt>
				<dd>{person.language ?? '–'}</dd>
				<dt>{w.people.zone}</dt>
				<dd>{person.time_zone ?? '–'}</dd>
				<dt>{w.people.created}</dt>
				<dd>
					<Time at={person.created} form="day" />
				</dd>
				<dt>{w.audiences.name}</dt>
				<dd>{person.audiences.map(({ name, status }) => `${name} (${w.people[status]})`).join(', ') || '–'}</dd>
				{properties.map(([key, value]) => (
					<div key={key} className="fact">
						<dt>{key}</dt>
						<dd>
							<code>{JSON.stringify(value)}</code>
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

/** A topic that the person left by themselves stays left: the service refuses, and its sentence is shown. */
function Topics({ person }: { person: Person }) {
	const may = mayChangeUse();
	const change = changeUse((topics: Record<string, boolean>) => personChange(person.email, { topics: topics as Record<string, never> }), {
		touches: [['person', person.email], ['history', person.email]],
		done: w.people.saved,
	});
	if (!person.topics.length) return null;
	return (
		<section className="card">
			<h2>{w.topics.name}</h2>
			{person.topics.map(({ id, name, subscribed }) => (
				<Switch key={id} label={name} on={subscribed} disabled={!may} onChange={(on) => change.mutate({ [id]: on })} />
			))}
		</section>
	);
}
