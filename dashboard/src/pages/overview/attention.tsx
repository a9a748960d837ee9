// SPDX-License-Identifier: MIT
// What needs a hand, each with the way to mend it.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { domainsQuery } from '../../api/domains';
import { Badge } from '../../parts/badge';
import { idnText } from '../../parts/idn';
import { relayRefuses } from '../../parts/relays';
import { w } from '../../words';
import { waitingQuery, webhooksQuery } from './query';

interface Matter {
	key: string;
	text: string;
	to: string;
	mend: string;
	bad: boolean;
}

export function Attention() {
	const domains = useQuery(domainsQuery).data ?? [];
	const webhooks = useQuery(webhooksQuery).data ?? [];
	const relays = useQuery(waitingQuery).data?.relays ?? [];
	const matters: Matter[] = [
		...domains
			.filter(({ status, verified_for_sending_status }) => status !== 'SUCCESS' && !verified_for_sending_status)
			.map(({ id, name, status }) => ({
				key: id,
				text: status === 'FAILED' ? w.overview.domainBad(idnText(name)) : w.overview.domainNew(idnText(name)),
				to: `/domains/${id}`,
				mend: w.overview.mendDomain,
				bad: status === 'FAILED',
			})),
		...domains
			.filter(({ status }) => status === 'TEMPORARY_FAILURE')
			.map(({ id, name }) => ({ key: id, text: w.overview.domainWarn(idnText(name)), to: `/domains/${id}`, mend: w.overview.mendDomain, bad: true })),
		...relays.filter(relayRefuses).map(({ relay, reason }) => ({
			key: relay,
			text: w.overview.relayRefuses(relay, reason ?? ''),
			to: '#waiting',
			mend: w.overview.mendRelay,
			bad: true,
		})),
		...webhooks
			.filter(({ disabled_reason, failing_since }) => disabled_reason || failing_since)
			.map(({ id, url, disabled_reason }) => ({
				key: id,
				text: disabled_reason ? w.overview.webhookOff(url) : w.overview.webhookFails(url),
				to: `/webhooks/${id}`,
				mend: w.overview.mendWebhook,
				bad: Boolean(disabled_reason),
			})),
	];
	return (
		<section className="card" aria-labelledby="attention">
			<h2 id="attention">{w.overview.attention}</h2>
			{matters.length === 0 && <p className="soft">{w.overview.calm}</p>}
			{matters.map(({ key, text, to, mend, bad }) => (
				<p key={key} className="matter">
					<Badge tone={bad ? 'bad' : 'warn'}>!</Badge>
					<span>
						{text} {to.startsWith('#') ? <a href={to}>{mend}</a> : <Link to={to}>{mend}</Link>}
					</span>
				</p>
			))}
		</section>
	);
}
