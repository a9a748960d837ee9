// SPDX-License-Identifier: MIT
// What happened to an email, for each recipient, in words and with the servers' replies.
import type { Schemas } from '../../api/client';
import { Time } from '../../parts/time';
import { w } from '../../words';
import type { Email } from './query';
import { toneOf } from './status';

type Event = Schemas['Event'];

export function Timeline({ email }: { email: Email }) {
	return (
		<section className="card">
			<h2>{w.emails.timeline}</h2>
			{email.recipient_statuses.map(({ recipient, events, more }) => (
				<div key={recipient} className="section">
					<h3 className="address">{recipient}</h3>
					{events.length === 0 && <p className="soft">{w.emails.nothingYet}</p>}
					<ol className="timeline">
						{events.map((event, index) => (
							<li key={index} className={toneOf[event.status]}>
								<Told event={event} />
							</li>
						))}
					</ol>
					{more && <p className="soft">{w.emails.moreEvents}</p>}
				</div>
			))}
		</section>
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
