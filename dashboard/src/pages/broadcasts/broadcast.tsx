// SPDX-License-Identifier: MIT
// One broadcast: written while it is a draft, then watched.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useRef, useState } from 'react';
import { faultText } from '../../api/faults';
import { mayChangeUse } from '../../api/session';
import { Head } from '../../parts/head';
import { Ready } from '../../parts/state';
import { Time } from '../../parts/time';
import { workForget } from '../../parts/unsaved';
import { VersionsButton } from '../../parts/versions';
import { w } from '../../words';
import { Actions } from './actions';
import { Check } from './check';
import { Compose, partsOf, type Saver } from './compose';
import { Facts } from './facts';
import { Figures } from './figures';
import { Heat } from './heat';
import { Preview } from './preview';
import { broadcastQuery, type Broadcast, type BroadcastBody } from './query';
import { Recipients } from './recipients';
import { Status } from './status';

export default function BroadcastPage({ params: { id } }: { params: Record<string, string> }) {
	const broadcast = useQuery(broadcastQuery(id));
	const may = mayChangeUse();
	const saver = useRef<Saver | null>(null);
	const [round, setRound] = useState(0);
	const [draft, setDraft] = useState<BroadcastBody | null>(null);
	const data = useQueryClient();
	const restored = async () => {
		workForget();
		await data.invalidateQueries({ queryKey: ['broadcast', id] });
		setRound(round + 1);
	};
	return (
		<>
			<Head
				title={broadcast.data?.name ?? w.broadcasts.broadcast}
				text={broadcast.data && <State of={broadcast.data} />}
				back={{ to: '/broadcasts', name: w.broadcasts.name }}
			>
				{may && broadcast.data?.status === 'draft' && <VersionsButton of={`/v1/broadcasts/${id}`} now={broadcast.data} names={partsOf()} onRestored={() => void restored()} />}
				{may && broadcast.data && <Actions broadcast={broadcast.data} saver={saver} />}
			</Head>
			<Ready of={broadcast}>
				{(broadcast) =>
					broadcast.status === 'draft' ? (
						<div className="halves">
							<Compose key={`${broadcast.id} ${round}`} broadcast={broadcast} may={may} saver={saver} onDraft={setDraft} />
							<div className="section">
								{may && <Check id={id} saver={saver} />}
								<Preview broadcast={broadcast} draft={draft} may={may} />
							</div>
						</div>
					) : (
						<>
							{broadcast.started_at && <Figures broadcast={broadcast} may={may} />}
							<div className="halves">
								<div className="section">
									{broadcast.started_at && <Recipients broadcast={broadcast} />}
									<Facts broadcast={broadcast} />
								</div>
								{broadcast.started_at ? <Heat broadcast={broadcast} /> : <Preview broadcast={broadcast} may={may} />}
							</div>
						</>
					)
				}
			</Ready>
		</>
	);
}

/** Where it is, and why it is there. */
function State({ of: { status, pause_reason, error, warning, scheduled_at, local_time, time_zone, started_at, completed_at } }: { of: Broadcast }) {
	const reasons = w.broadcasts.pauseReasons as Record<string, string>;
	return (
		<span className="row">
			<Status of={status} />
			{pause_reason && <span>{reasons[pause_reason] ?? pause_reason}</span>}
			{error && <span className="error">{faultText(error)}</span>}
			{warning && <span className="warning">{faultText(warning)}</span>}
			{status === 'scheduled' && local_time && <span>{w.broadcasts.localAt(local_time.replace('T', ' '), time_zone ?? 'UTC')}</span>}
			{status === 'scheduled' && !local_time && scheduled_at && <Time at={scheduled_at} />}
			{started_at && (
				<span>
					{w.broadcasts.started} <Time at={started_at} />
				</span>
			)}
			{completed_at && (
				<span>
					{w.broadcasts.completed} <Time at={completed_at} />
				</span>
			)}
		</span>
	);
}
