// SPDX-License-Identifier: MIT
// Which events a webhook is told, chosen from all that there are.
import { useState } from 'react';
import { Choice } from '../../parts/field';
import { w } from '../../words';
import type { Webhook } from './query';

type Name = Webhook['events'][number];

const names = [
	'email.sent', 'email.delivered', 'email.delayed', 'email.bounced', 'email.complained', 'email.opened', 'email.clicked', 'email.failed', 'email.suppressed', 'email.unsubscribed', 'email.scheduled', 'email.cancelled',
	'contact.created', 'contact.updated', 'contact.deleted', 'contact.unsubscribed', 'domain.created', 'domain.verified', 'domain.failed', 'domain.warning', 'domain.deleted',
	'execution.started', 'execution.finished', 'execution.failed', 'suppression.added', 'suppression.removed',
] as const satisfies Name[];

export function EventsField({ chosen }: { chosen: Name[] }) {
	const [some, setSome] = useState(!chosen.includes('*'));
	const all = [...names, ...chosen.filter((name) => name !== '*' && !(names as readonly Name[]).includes(name))];
	return (
		<>
			<Choice
				label={w.webhooks.events}
				name="which"
				value={some ? 'some' : 'all'}
				onChange={(event) => setSome(event.target.value === 'some')}
				options={[{ value: 'all', name: w.webhooks.eventsAll }, { value: 'some', name: w.webhooks.eventsSome }]}
			/>
			{some && (
				<fieldset className="check-list">
					<legend>{w.webhooks.eventsSome}</legend>
					{all.map((name) => (
						<label key={name}>
							<input type="checkbox" name="event" value={name} defaultChecked={chosen.includes(name)} /> {name}
						</label>
					))}
				</fieldset>
			)}
		</>
	);
}

/** The events that a form says. */
export function eventsOf(values: FormData): Webhook['events'] {
	if (values.get('which') === 'all') return ['*'];
	const events = values.getAll('event').map(String) as Webhook['events'];
	if (!events.length) throw new Error(w.webhooks.eventsNone);
	return events;
}

export const eventsText = (events: string[]) => (events.includes('*') ? w.webhooks.eventsAll : events.join(', '));
