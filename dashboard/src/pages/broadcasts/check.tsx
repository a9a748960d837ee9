// SPDX-License-Identifier: MIT
// What would go wrong, or badly, if the draft were sent as it is stored.
import { useMutation } from '@tanstack/react-query';
import { useState, type RefObject } from 'react';
import { faultText } from '../../api/faults';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Failed } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import type { Saver } from './compose';
import { broadcastCheck, type Report } from './query';

export function Check({ id, saver }: { id: string; saver: RefObject<Saver | null> }) {
	const [links, setLinks] = useState(false);
	const check = useMutation({
		mutationFn: async () => {
			await saver.current?.();
			return broadcastCheck(id, links);
		},
	});
	return (
		<section className="card" aria-label={w.broadcasts.check}>
			<h2>{w.broadcasts.check}</h2>
			<Switch label={w.broadcasts.checkLinks} help={w.broadcasts.checkLinksHelp} on={links} onChange={setLinks} />
			<div>
				<Button busy={check.isPending} onClick={() => check.mutate()}>
					{w.broadcasts.checkNow}
				</Button>
			</div>
			{check.error && <Failed why={check.error} />}
			{check.data && <Found of={check.data} />}
		</section>
	);
}

function Found({ of: { ok, recipients, size, spam_score, findings } }: { of: Report }) {
	return (
		<div className="stack" role="status">
			<p>
				<Badge tone={ok ? 'good' : 'bad'}>{ok ? w.broadcasts.ok : w.broadcasts.notOk}</Badge> {recipients === null ? '' : w.broadcasts.wouldGo(recipients)}{' '}
				<span className="soft">
					{w.broadcasts.bytes(size)}
					{spam_score !== null && ` · ${w.broadcasts.spam(numberText(spam_score))}`}
				</span>
			</p>
			<Findings of={findings} />
		</div>
	);
}

export function Findings({ of }: { of: Report['findings'] }) {
	if (!of.length) return null;
	return (
		<ul className="timeline">
			{of.map(({ level, code, message, count }, index) => (
				<li key={index} className={level === 'error' ? 'bad' : 'warn'}>
					<div>
						<strong>{w.broadcasts.codes[code]}</strong>
						<p className="reply">{faultText(message)}</p>
						{level === 'warning' && count > 0 && (code === 'fallback' || code === 'unsubscribe_link') && (
							<p className="help">
								{w.broadcasts.lookedAt(count)} {code === 'fallback' && w.broadcasts.instead}
							</p>
						)}
					</div>
				</li>
			))}
		</ul>
	);
}
