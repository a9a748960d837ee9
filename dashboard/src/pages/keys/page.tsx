// SPDX-License-Identifier: MIT
// API keys: made, scoped, last used, ended.
import { useState } from 'react';
import { changeUse } from '../../api/list';
import { Badge } from '../../parts/badge';
import { ConfirmButton } from '../../parts/dialog';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Secret } from '../../parts/secret';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { Make } from './make';
import { keyRevoke, keysUse, type Key } from './query';

export default function Keys() {
	const list = keysUse();
	const [made, setMade] = useState('');
	return (
		<>
			<Head title={w.keys.name} text={w.keys.text}>
				<Make onMade={setMade} />
			</Head>
			<ListTable
				label={w.keys.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.keys.empty}>
						<p>{w.keys.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.keys.keyName, cell: ({ name }) => name },
					{ name: w.keys.scope, cell: ({ scope }) => w.keys[scope] },
					{ name: w.keys.state, cell: (key) => <State of={key} /> },
					{ name: w.keys.lastUsed, minor: true, cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : w.keys.never) },
					{ name: w.keys.madeBy, minor: true, cell: ({ user }) => user?.email ?? '–' },
					{ name: w.keys.created, minor: true, cell: ({ created }) => <Time at={created} form="day" /> },
					{ name: w.keys.revoke, actions: true, cell: (key) => <Revoke of={key} /> },
				]}
			/>
			<Secret title={w.keys.madeTitle} text={w.keys.madeText} name={w.keys.key} value={made} onClose={() => setMade('')} />
		</>
	);
}

function State({ of: { revoked_at, expires_at } }: { of: Key }) {
	if (revoked_at) return <Badge>{w.keys.revoked}</Badge>;
	if (expires_at && expires_at < Date.now()) return <Badge>{w.keys.ended}</Badge>;
	return (
		<>
			<Badge tone="good">{w.keys.active}</Badge>
			{expires_at && (
				<p className="help">
					{w.keys.expires} <Time at={expires_at} form="day" />
				</p>
			)}
		</>
	);
}

function Revoke({ of: { id, name, revoked_at } }: { of: Key }) {
	const revoke = changeUse(() => keyRevoke(id), { touches: [['keys']], done: w.keys.revokeDone });
	if (revoked_at) return null;
	return <ConfirmButton quiet name={w.keys.revoke} title={w.keys.revokeTitle(name)} text={w.keys.revokeText} onConfirm={() => revoke.mutate()} />;
}
