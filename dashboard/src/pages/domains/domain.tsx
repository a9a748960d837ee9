// SPDX-License-Identifier: MIT
// One domain: its records and what DNS says, tracking, deletion.
import { useQuery } from '@tanstack/react-query';
import { Link, useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { ConfirmButton } from '../../parts/dialog';
import { Head } from '../../parts/head';
import { idnText } from '../../parts/idn';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { domainChange, domainCheck, domainDelete, domainQuery, type Domain } from './query';
import { Receiving } from './receiving';
import { Records } from './records';
import { DomainRelays, Keys } from './sending';
import { Settings } from './settings';
import { DomainStatus } from './status';

export default function DomainPage({ params }: { params: Record<string, string> }) {
	const domain = useQuery(domainQuery(params.id));
	return (
		<>
			<Head title={domain.data ? idnText(domain.data.name) : w.domains.domain} text={domain.data && idnText(domain.data.name) !== domain.data.name ? <code>{domain.data.name}</code> : undefined} back={{ to: '/domains', name: w.domains.name }}>
				{domain.data && <Actions domain={domain.data} />}
			</Head>
			<Ready of={domain}>
				{(domain) => (
					<>
						<Facts domain={domain} />
						<Records domain={domain} />
						<Keys id={domain.id} isChecked={!!domain.verification_info.last_checked_timestamp} />
						<DomainRelays id={domain.id} />
						<Tracking domain={domain} />
						<Settings domain={domain} />
						<Receiving domain={domain} />
					</>
				)}
			</Ready>
		</>
	);
}

function Facts({ domain }: { domain: Domain }) {
	return (
		<section className="card">
			<dl className="facts">
				<dt>{w.domains.status}</dt>
				<dd>
					<DomainStatus of={domain.status} />
				</dd>
				<dt>{w.domains.checked}</dt>
				<dd>
					<Time at={domain.verification_info.last_checked_timestamp} form="whole" />
				</dd>
				<dt>DMARC</dt>
				<dd>
					<Link to={`/domains/${domain.id}/dmarc`}>{w.dmarc.open}</Link>
				</dd>
				<dt>{w.domains.warmed}</dt>
				<dd>{domain.is_warmed_up ? w.domains.yes : w.domains.no}</dd>
			</dl>
		</section>
	);
}

function Actions({ domain: { id, name } }: { domain: Domain }) {
	const [, go] = useLocation();
	const touches = [['domain', id], ['domains']];
	const check = changeUse(() => domainCheck(id), { touches, done: w.domains.checkDone });
	const remove = changeUse(() => domainDelete(id), { touches: [['domains']], done: w.domains.removed, then: () => go('/domains') });
	if (!mayChangeUse()) return null;
	return (
		<>
			<Button look="main" busy={check.isPending} onClick={() => check.mutate()}>
				{w.domains.check}
			</Button>
			<ConfirmButton name={w.domains.remove} title={w.domains.removeTitle(idnText(name))} text={w.domains.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}

function Tracking({ domain }: { domain: Domain }) {
	const may = mayChangeUse();
	const change = changeUse((what: Parameters<typeof domainChange>[1]) => domainChange(domain.id, what), { touches: [['domain', domain.id]], done: w.domains.saved });
	return (
		<section className="card">
			<h2>{w.domains.tracking}</h2>
			<Switch
				label={w.domains.opens}
				help={w.domains.opensHelp}
				on={domain.open_tracking_enabled}
				disabled={!may}
				onChange={(open_tracking_enabled) => change.mutate({ open_tracking_enabled })}
			/>
			<Switch
				label={w.domains.clicks}
				help={w.domains.clicksHelp}
				on={domain.click_tracking_enabled}
				disabled={!may}
				onChange={(click_tracking_enabled) => change.mutate({ click_tracking_enabled })}
			/>
		</section>
	);
}
