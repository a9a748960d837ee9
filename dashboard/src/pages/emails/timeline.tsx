// SPDX-License-Identifier: MIT
// What happened to an email, for each recipient, in words and with the servers' replies.
import { useState } from 'react';
import type { Schemas } from '../../api/client';
import { Button } from '../../parts/button';
import { Failed } from '../../parts/state';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { eventsUse, type Email } from './query';
import { toneOf } from './status';

type Event = Schemas['Event'];

export function Timeline({ email }: { email: Email }) {
	return (
		<section className="card">
			<h2>{w.emails.timeline}</h2>
			{email.recipient_statuses.map((one) => (
				<Recipient key={one.recipient} id={email.id} of={one} />
			))}
		</section>
	);
}

/** The email has the newest events alone; older ones are read once they are asked for. */
function Recipient({ id, of: { recipient, events, more } }: { id: string; of: Email['recipient_statuses'][0] }) {
	const [all, setAll] = useState(false);
	return (
		<div className="section">
			<h3 className="address">{recipient}</h3>
			{all ? <AllEvents id={id} recipient={recipient} newest={events} /> : <Events events={events} onMore={more ? () => setAll(true) : undefined} />}
		</div>
	);
}

function AllEvents({ id, recipient, newest }: { id: string; recipient: string; newest: Event[] }) {
	const list = eventsUse(id, recipient);
	if (list.error && !list.data) return <Failed why={list.error} again={() => void list.refetch()} />;
	const events = list.data ? [...list.rows].reverse() : newest;
	return <Events events={events} busy={list.isPending || list.isFetchingNextPage} onMore={list.isPending || list.hasNextPage ? () => void list.fetchNextPage() : undefined} />;
}

/** Events, oldest first. */
function Events({ events, busy, onMore }: { events: Event[]; busy?: boolean; onMore?: () => void }) {
	return (
		<>
			{onMore && (
				<p className="soft">
					{w.emails.moreEvents}{' '}
					<Button look="quiet" busy={busy} onClick={onMore}>
						{w.do.more}
					</Button>
				</p>
			)}
			{events.length === 0 && <p className="soft">{w.emails.nothingYet}</p>}
			<ol className="timeline">
				{events.map((event, index) => (
					<li key={index} className={toneOf[event.status]}>
						<Told event={event} />
					</li>
				))}
			</ol>
		</>
	);
}

function sentence({ status, type, automated }: Event) {
	if (status === 'bounced' && type === 'Transient') return w.told.bouncedTransient;
	if (status === 'opened' && automated) return w.told.openedMachine;
	if (status === 'clicked' && automated) return w.told.clickedMachine;
	return w.told[status];
}

function Told({ event }: { event: Event }) {
	return (
		<div>
			<p>{sentence(event)}</p>
			{event.smtp_response && <p className="reply">{event.smtp_response}</p>}
			{event.link && <p className="reply">{event.link}</p>}
			<p className="help">
				<Time at={event.timestamp} form="whole" />
				{event.relay && ` · ${w.told.relay(event.relay)}`}
			</p>
		</div>
	);
}
