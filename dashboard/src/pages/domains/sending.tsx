// SPDX-License-Identifier: MIT
// How a domain's mail leaves: the keys that sign it, with their rotation, and the relays that take it.
import { useQuery } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { ConfirmButton } from '../../parts/dialog';
import { Relays } from '../../parts/relays';
import { Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { domainRotate, keysQuery, relaysQuery, type DomainKey } from './query';

const tones: Record<DomainKey['state'], Tone> = { signs: 'good', new: 'warn', retires: 'calm' };

/** The keys of a domain, whose records nobody has looked for before its first check. */
export function Keys({ id, isChecked }: { id: string; isChecked: boolean }) {
	const keys = useQuery(keysQuery(id));
	const rotate = changeUse(() => domainRotate(id), { touches: [['domain', id], ['domains']], done: w.domains.rotated });
	return (
		<section className="section">
			<div className="bar">
				<h2>{w.domains.keys}</h2>
				{mayChangeUse() && <ConfirmButton quiet name={w.domains.rotate} title={w.domains.rotateTitle} text={w.domains.rotateText} onConfirm={() => rotate.mutate()} />}
			</div>
			<Ready of={keys}>
				{(keys) => (
					<Table
						label={w.domains.keys}
						rows={keys}
						id={({ id }) => id}
						columns={[
							{ name: w.domains.selector, cell: ({ selector, algorithm }) => <><code>{selector}</code> <span className="soft">{algorithm}</span></> },
							{ name: w.domains.state, cell: ({ state }) => <Badge tone={tones[state]}>{w.domains.keyStates[state]}</Badge> },
							{ name: 'DNS', cell: ({ found }) => (found ? w.domains.found : isChecked ? w.domains.missing : w.domains.unknown) },
							{ name: w.domains.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
							{ name: w.domains.retired, minor: true, cell: ({ retired_at }) => <Time at={retired_at} form="day" /> },
						]}
					/>
				)}
			</Ready>
		</section>
	);
}

export function DomainRelays({ id }: { id: string }) {
	const relays = useQuery(relaysQuery(id));
	return (
		<section className="section">
			<h2>{w.relays.name}</h2>
			<Ready of={relays}>
				{({ route, relays }) => (
					<>
						<p className="soft">{w.domains.routes[route]}</p>
						<Relays relays={relays} />
					</>
				)}
			</Ready>
		</section>
	);
}
