// SPDX-License-Identifier: MIT
// Emails that have not left: how many, why, and what each relay does.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { Badge, type Tone } from '../../parts/badge';
import { Relays } from '../../parts/relays';
import { Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { waitingQuery, type Waits } from './query';

export function Waiting() {
	const waiting = useQuery(waitingQuery);
	return (
		<section className="section" id="waiting" aria-labelledby="waits">
			<h2 id="waits">{w.overview.waits}</h2>
			<Ready of={waiting}>
				{(waits) => (
					<>
						<Sum waits={waits} />
						{waits.reasons.length > 0 && <Reasons waits={waits} />}
						{waits.relays.length > 0 && <Relays relays={waits.relays} />}
					</>
				)}
			</Ready>
		</section>
	);
}

function Sum({ waits: { messages, more, held, oldest, next_attempt } }: { waits: Waits }) {
	if (!messages && !held) return <p className="soft">{w.overview.waitsNone}</p>;
	return (
		<dl className="cards">
			<div className="card figure">
				<dt>{w.overview.waits}</dt>
				<dd>{`${numberText(messages)}${more ? '+' : ''}`}</dd>
			</div>
			<div className="card figure">
				<dt>{w.overview.held}</dt>
				<dd>{numberText(held)}</dd>
			</div>
			<div className="card figure">
				<dt>{w.overview.since}</dt>
				<dd>
					<Time at={oldest} />
				</dd>
			</div>
			<div className="card figure">
				<dt>{w.overview.next}</dt>
				<dd>{next_attempt !== null && next_attempt <= Date.now() ? w.overview.dueNow : <Time at={next_attempt} />}</dd>
			</div>
		</dl>
	);
}

const tones: Record<Waits['reasons'][0]['state'], Tone> = { due: 'calm', scheduled: 'calm', sending: 'info', delayed: 'warn', held: 'warn' };

function Reasons({ waits }: { waits: Waits }) {
	return (
		<Table
			label={w.overview.waits}
			rows={waits.reasons}
			id={({ state, reason }) => `${state} ${reason}`}
			columns={[
				{ name: w.overview.state, cell: ({ state }) => <Badge tone={tones[state]}>{w.overview.states[state]}</Badge> },
				{ name: w.overview.why, cell: ({ reason, state }) => (reason ? <span className="reply">{reason}</span> : w.overview.stateText[state]) },
				{ name: w.emails.name, cell: ({ messages, email_id }) => (email_id ? <Link to={`/emails/${email_id}`}>{numberText(messages)}</Link> : numberText(messages)) },
				{ name: w.overview.since, minor: true, cell: ({ oldest }) => <Time at={oldest} /> },
				{ name: w.overview.next, minor: true, cell: ({ next_attempt }) => <Time at={next_attempt} /> },
			]}
		/>
	);
}
