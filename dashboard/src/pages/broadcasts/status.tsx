// SPDX-License-Identifier: MIT
// Where a broadcast is, or the email of one recipient, in a word.
import { Badge, type Tone } from '../../parts/badge';
import { w } from '../../words';
import type { RecipientStatus } from './query';

const tones: Record<string, Tone> = { draft: 'calm', scheduled: 'info', sending: 'info', testing: 'info', paused: 'warn', sent: 'good', cancelled: 'calm', failed: 'bad' };

export function Status({ of }: { of: string }) {
	return <Badge tone={tones[of] ?? 'calm'}>{(w.broadcasts.statuses as Record<string, string>)[of] ?? of}</Badge>;
}

const ends: Record<RecipientStatus, Tone> = {
	pending: 'calm', sent: 'info', delivered: 'good', delayed: 'warn', bounced: 'bad', complained: 'bad', failed: 'bad', skipped: 'calm', cancelled: 'calm',
};

export function End({ of }: { of: RecipientStatus }) {
	return <Badge tone={ends[of]}>{w.broadcasts.ends[of]}</Badge>;
}
