// SPDX-License-Identifier: MIT
// Relays: which of them takes mail, and why one does not.
import { w } from '../words';
import { Badge } from './badge';
import { Table } from './table';
import { Time } from './time';

export interface Relay {
	relay: string;
	rests_until: number | null;
	reason: string | null;
}

/** Whether a relay takes no mail just now. */
export const relayRefuses = ({ rests_until, reason }: Relay) => rests_until !== null || reason !== null;

export function Relays({ relays }: { relays: Relay[] }) {
	return (
		<Table
			label={w.relays.name}
			rows={relays}
			id={({ relay }) => relay}
			columns={[
				{ name: w.relays.relay, cell: ({ relay }) => <code>{relay}</code> },
				{ name: w.relays.state, cell: (relay) => <Badge tone={relayRefuses(relay) ? 'bad' : 'good'}>{relayRefuses(relay) ? w.relays.rests : w.relays.takes}</Badge> },
				{ name: w.relays.why, cell: ({ reason }) => (reason ? <span className="reply">{reason}</span> : '–') },
				{ name: w.relays.until, minor: true, cell: ({ rests_until }) => <Time at={rests_until} /> },
			]}
		/>
	);
}
