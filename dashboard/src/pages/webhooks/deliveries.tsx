// SPDX-License-Identifier: MIT
// What a webhook was told, with each attempt and its answer.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Dialog } from '../../parts/dialog';
import { Choice } from '../../parts/field';
import { Empty, Ready } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { deliveriesUse, deliveryQuery, deliveryReplay, type Delivery } from './query';

const states: Record<Delivery['status'], { tone: Tone; name: () => string }> = {
	pending: { tone: 'info', name: () => w.webhooks.pending },
	succeeded: { tone: 'good', name: () => w.webhooks.succeeded },
	failed: { tone: 'bad', name: () => w.webhooks.deliveryFailed },
};

export function Deliveries({ id }: { id: string }) {
	const [status, setStatus] = useState('');
	const [shown, setShown] = useState('');
	const list = deliveriesUse(id, status);
	return (
		<section className="section">
			<h2>{w.webhooks.deliveries}</h2>
			<div className="filters">
				<Choice
					label={w.webhooks.status}
					value={status}
					onChange={(event) => setStatus(event.target.value)}
					options={[{ value: '', name: w.webhooks.any }, ...Object.entries(states).map(([value, { name }]) => ({ value, name: name() }))]}
				/>
			</div>
			<ListTable
				label={w.webhooks.deliveries}
				list={list}
				id={({ id }) => id}
				empty={<Empty title={w.webhooks.none} />}
				columns={[
					{ name: w.webhooks.type, cell: ({ type }) => <code>{type}</code> },
					{ name: w.webhooks.status, cell: ({ status }) => <Badge tone={states[status].tone}>{states[status].name()}</Badge> },
					{ name: w.webhooks.answer, minor: true, cell: ({ attempts }) => answerOf(attempts.at(-1)) },
					{ name: w.webhooks.when, minor: true, cell: ({ created }) => <Time at={created} /> },
					{
						name: w.webhooks.attempts,
						actions: true,
						cell: (delivery) => (
							<button type="button" className="button quiet" onClick={() => setShown(delivery.id)}>
								{w.webhooks.attempts}: {delivery.attempts.length}
							</button>
						),
					},
				]}
			/>
			<Dialog wide title={w.webhooks.attemptsTitle} open={shown !== ''} onOpenChange={(open) => open || setShown('')}>
				{shown && <Attempts id={id} delivery={shown} />}
			</Dialog>
		</section>
	);
}

type Attempt = Delivery['attempts'][number];
const answerOf = (attempt: Attempt | undefined) => (attempt ? (attempt.error ?? `HTTP ${attempt.response_status}`) : '–');

function Attempts({ id, delivery }: { id: string; delivery: string }) {
	const details = useQuery(deliveryQuery(id, delivery));
	const may = mayChangeUse();
	const replay = changeUse(() => deliveryReplay(id, delivery), { touches: [['deliveries', id], ['delivery', id]], done: w.webhooks.replayDone });
	return (
		<Ready of={details}>
			{({ attempts, payload, next_attempt }) => (
				<>
					<ol className="timeline">
						{attempts.map((attempt) => (
							<li key={attempt.timestamp} className={attempt.error || (attempt.response_status ?? 0) >= 300 ? 'bad' : 'good'}>
								<div>
									<p>{answerOf(attempt)}</p>
									{attempt.response_body && <p className="reply">{attempt.response_body}</p>}
									<p className="help">
										<Time at={attempt.timestamp} form="whole" /> · {attempt.duration} ms
									</p>
								</div>
							</li>
						))}
					</ol>
					{next_attempt && (
						<p className="soft">
							{w.webhooks.next}: <Time at={next_attempt} form="whole" />
						</p>
					)}
					<h3>{w.webhooks.payload}</h3>
					<pre className="source" tabIndex={0}>
						{JSON.stringify(payload, null, 2)}
					</pre>
					{may && (
						<div className="dialog-foot">
							<Button look="main" busy={replay.isPending} onClick={() => replay.mutate()}>
								{w.webhooks.replay}
							</Button>
						</div>
					)}
				</>
			)}
		</Ready>
	);
}
