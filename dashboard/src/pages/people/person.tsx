// SPDX-License-Identifier: MIT
// One person: what is known, what they want, what they got, what happened.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { choicesUse, propertiesQuery } from '../../api/choices';
import { changeUse } from '../../api/list';
import { isOwnerUse, mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said, TextField } from '../../parts/field';
import { Head } from '../../parts/head';
import { noticeUse } from '../../parts/notice';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Tabs } from '../../parts/tabs';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { Membership } from '../audiences/membership';
import { Edit, valueShown } from './edit';
import { Events } from './events';
import { Executions } from './executions';
import { History } from './history';
import { Mails } from './mails';
import { eventSend, memberAdd, personChange, personDelete, personErase, personQuery, suppress, unsuppress, type Person } from './query';
import { Snooze } from './snooze';
import { Subscribed } from './subscribed';

export default function PersonPage({ params }: { params: Record<string, string> }) {
	const email = params.email;
	const person = useQuery(personQuery(email));
	const may = mayChangeUse();
	const [, go] = useLocation();
	const remove = changeUse(() => personDelete(email), { touches: [['people']], done: w.people.removed, then: () => go('/people') });
	const name = [person.data?.first_name, person.data?.last_name].filter(Boolean).join(' ');
	return (
		<>
			<Head title={name || email} text={name ? email : undefined} back={{ to: '/people', name: w.people.name }}>
				{may && person.data && <Edit person={person.data} />}
				{may && <SendEvent email={email} />}
				{may && person.data && (person.data.suppressed ? <Unsuppress email={email} /> : <Suppress email={email} />)}
				{may && <ConfirmButton name={w.people.remove} title={w.people.removeTitle(email)} text={w.people.removeText} onConfirm={() => remove.mutate()} />}
				{isOwnerUse() && <Erase email={email} />}
			</Head>
			<div className="two">
				<Tabs
					label={email}
					tabs={[
						{ id: 'history', name: w.people.history, content: <History email={email} /> },
						{ id: 'emails', name: w.people.emails, content: <Mails email={email} /> },
						{ id: 'events', name: w.people.kinds.event, content: <Events email={email} /> },
						{ id: 'executions', name: w.workflows.name, content: <Executions email={email} /> },
					]}
				/>
				<Ready of={person}>
					{(person) => (
						<div className="section">
							<Facts person={person} />
							<Audiences person={person} may={may} />
							<Topics person={person} />
							<Snooze email={email} />
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

function Suppress({ email }: { email: string }) {
	const stop = changeUse((scope: 'all' | 'automation') => suppress(email, scope), { touches: [['person', email], ['people'], ['suppressions']], done: w.suppressions.added });
	return (
		<FormButton look="plain" name={w.people.suppress} title={w.people.suppressTitle(email)} action={w.people.suppress} onSubmit={(values) => stop.mutateAsync(said(values, 'scope') as 'all')}>
			<Choice label={w.suppressions.scope} name="scope" options={[{ value: 'all', name: w.suppressions.all }, { value: 'automation', name: w.suppressions.automation }]} />
		</FormButton>
	);
}

function Unsuppress({ email }: { email: string }) {
	const again = changeUse((why: string) => unsuppress(email, why), { touches: [['person', email], ['history', email], ['people'], ['suppressions']], done: w.suppressions.removed });
	return (
		<FormButton look="plain" name={w.people.unsuppress} title={w.suppressions.removeTitle(email)} action={w.people.unsuppress} onSubmit={(values) => again.mutateAsync(said(values, 'why'))}>
			<p>{w.suppressions.removeText}</p>
			<Field label={w.suppressions.why} name="why" maxLength={500} />
		</FormButton>
	);
}

/** An event by hand, as a program would send it. */
function SendEvent({ email }: { email: string }) {
	const data = useQueryClient();
	const notice = noticeUse();
	const send = async (values: FormData) => {
		await eventSend(email, said(values, 'event'), objectOf(said(values, 'properties')));
		void data.invalidateQueries({ queryKey: ['history', email] });
		void data.invalidateQueries({ queryKey: ['person', email] });
		notice(w.people.eventSent);
	};
	return (
		<FormButton look="plain" name={w.people.eventSend} title={w.people.eventSend} action={w.people.eventSend} onSubmit={send}>
			<p>{w.people.eventText}</p>
			<Field label={w.workflows.eventName} name="event" maxLength={100} required />
			<TextField label={w.workflows.eventProperties} name="properties" rows={3} spellCheck={false} defaultValue="{}" />
		</FormButton>
	);
}

function objectOf(text: string): Record<string, unknown> {
	try {
		const value: unknown = JSON.parse(text || '{}');
		if (value && typeof value === 'object' && !Array.isArray(value)) return value as Record<string, unknown>;
	} catch {
		// Said below.
	}
	throw new Error(w.workflows.noObject);
}

function Facts({ person }: { person: Person }) {
	const defined = useQuery(propertiesQuery).data ?? [];
	const properties = Object.entries(person.properties);
	return (
		<section className="card">
			<h2>{w.people.details}</h2>
			<dl className="facts">
				<dt>{w.people.state}</dt>
				<dd>
					<Subscribed of={person} />
				</dd>
				<dt>{w.people.firstName}</dt>
				<dd>{person.first_name ?? '–'}</dd>
				<dt>{w.people.lastName}</dt>
				<dd>{person.last_name ?? '–'}</dd>
				<dt>{w.people.language}</dt>
				<dd>{person.language ?? '–'}</dd>
				<dt>{w.people.zone}</dt>
				<dd>{person.time_zone ?? '–'}</dd>
				<dt>{w.people.created}</dt>
				<dd>
					<Time at={person.created} form="day" />
				</dd>
				{properties.map(([key, value]) => (
					<div key={key} className="fact">
						<dt>{key}</dt>
						<dd>{valueShown(value, defined.find((one) => one.key === key)?.type)}</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

const tones = { subscribed: 'good', unsubscribed: 'warn', pending: 'calm' } as const;

function Audiences({ person, may }: { person: Person; may: boolean }) {
	const touches = [['person', person.email], ['history', person.email], ['audiences'], ['contacts']];
	const all = choicesUse('audiences').filter(({ id }) => !person.audiences.some((one) => one.id === id));
	const add = changeUse((id: string) => memberAdd(id, person.email), { touches, done: w.people.saved });
	return (
		<section className="card">
			<h2>{w.audiences.name}</h2>
			{!person.audiences.length && <p className="soft">{w.people.noAudience}</p>}
			{person.audiences.map((one) => (
				<div key={one.id} className="bar">
					<span>
						<Link to={`/audiences/${one.id}`}>{one.name}</Link> <Badge tone={tones[one.status]}>{w.people[one.status]}</Badge>{' '}
						<span className="soft">
							<Time at={one.created} form="day" />
						</span>
					</span>
					{may && (
						<span>
							<Membership audience={one.id} contact={one.contact_id} email={person.email} status={one.status} />
						</span>
					)}
				</div>
			))}
			{may && all.length > 0 && (
				<FormButton look="quiet" name={w.people.addTo} title={w.people.addTo} action={w.do.add} onSubmit={(values) => add.mutateAsync(said(values, 'audience'))}>
					<Choice label={w.audiences.audience} name="audience" options={all.map(({ id, name }) => ({ value: id, name }))} />
				</FormButton>
			)}
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
