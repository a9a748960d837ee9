// SPDX-License-Identifier: MIT
// The reader's own sessions, each of which can be ended.
import { changeUse } from '../../api/list';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { sessionEnd, sessionsUse } from './query';

export default function Sessions() {
	const list = sessionsUse();
	const end = changeUse(sessionEnd, { touches: [['sessions']], done: w.sessions.ended });
	return (
		<>
			<Head title={w.sessions.name} text={w.sessions.text} />
			<ListTable
				label={w.sessions.name}
				list={list}
				id={({ id }) => id}
				empty={<Empty title={w.sessions.empty} />}
				columns={[
					{ name: w.sessions.device, cell: ({ user_agent, current }) => (current ? <Badge tone="good">{w.sessions.here}</Badge> : deviceOf(user_agent)) },
					{ name: w.sessions.address, cell: ({ address }) => address ?? '–' },
					{ name: w.sessions.lastSeen, cell: ({ last_seen }) => <Time at={last_seen} /> },
					{ name: w.sessions.expires, minor: true, cell: ({ expires }) => <Time at={expires} /> },
					{
						name: w.sessions.end,
						actions: true,
						cell: ({ id, current }) =>
							!current && (
								<Button look="quiet" onClick={() => end.mutate(id)}>
									{w.sessions.end}
								</Button>
							),
					},
				]}
			/>
		</>
	);
}

/** The browser and the system of a user agent, as people call them. */
function deviceOf(agent: string | null) {
	const browser = /(Edg|OPR|Firefox|Chrome|Safari)\//.exec(agent ?? '')?.[1];
	const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(agent ?? '')?.[1];
	return [browser, system].filter(Boolean).join(', ') || agent || w.sessions.unknown;
}
