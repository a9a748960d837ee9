// SPDX-License-Identifier: MIT
// The state of an email for a recipient, as a badge.
import { Badge, type Tone } from '../../parts/badge';
import { w } from '../../words';
import type { EventStatus } from './query';

export const toneOf: Record<EventStatus, Tone> = {
	sent: 'info', delivered: 'good', opened: 'good', clicked: 'good', replied: 'good', delayed: 'warn', bounced: 'bad', failed: 'bad', complained: 'bad', suppressed: 'warn', unsubscribed: 'warn',
};

export function Status({ of }: { of: EventStatus | null | undefined }) {
	return of ? <Badge tone={toneOf[of]}>{w.event[of]}</Badge> : <Badge>{w.emails.waiting}</Badge>;
}
