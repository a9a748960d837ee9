// SPDX-License-Identifier: MIT
// Why an email has not left: in words, with what the servers said, and when it is tried again. Held mail can be released.
import { useQuery } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { ConfirmButton } from '../../parts/dialog';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { emailRelease, emailWaitingQuery, type Email, type Waits as Message } from './query';

const tones: Record<Message['state'], Tone> = { due: 'calm', scheduled: 'calm', sending: 'info', delayed: 'warn', held: 'warn' };

export function Waits({ email: { id } }: { email: Email }) {
	const waiting = useQuery(emailWaitingQuery(id)).data;
	const release = changeUse(() => emailRelease(id), { touches: [['email', id], ['emails'], ['waiting']], done: w.emails.releaseDone });
	const may = mayChangeUse();
	if (!waiting?.length) return null;
	return (
		<section className="card" aria-labelledby="waits">
			<h2 id="waits">{w.emails.waits}</h2>
			{waiting.map((message, index) => (
				<Line key={index} message={message} alone={waiting.length === 1} />
			))}
			{may && waiting.some(({ state }) => state === 'held') && (
				<div>
					<ConfirmButton name={w.emails.release} title={w.emails.releaseTitle} text={w.emails.releaseText} onConfirm={() => release.mutate()} />
				</div>
			)}
		</section>
	);
}

function Line({ message, alone }: { message: Message; alone: boolean }) {
	const { state, reason, attempts, next_attempt, recipients } = message;
	return (
		<div className="section">
			<p>
				<Badge tone={tones[state]}>{w.overview.states[state]}</Badge> {whyText(message)}
			</p>
			{reason && <p className="reply">{reason}</p>}
			{!alone && <p className="reply">{recipients.join(', ')}</p>}
			<p className="help">
				{next_attempt !== null && (
					<>
						{w.overview.next}: {next_attempt <= Date.now() ? w.overview.dueNow : <Time at={next_attempt} form="whole" />}
						{' · '}
					</>
				)}
				{w.emails.attempts(attempts)}
			</p>
		</div>
	);
}

/** The service's sentences begin with what is in the way; all others are replies of servers. */
function whyText({ state, reason }: Message) {
	if (state !== 'delayed') return w.emails.why[state];
	if (!reason) return w.emails.why.again;
	if (reason.startsWith('paced: ')) return w.emails.why.paced;
	if (reason.startsWith('warm-up: ')) return w.emails.why.warmup;
	return /^(no )?relay\b/.test(reason) ? w.emails.why.relay : w.emails.why.server;
}
