// SPDX-License-Identifier: MIT
// Settings of a domain's own: TLS, the return path, and the host of its tracked links, with what is still to do for it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Ready } from '../../parts/state';
import { Switch } from '../../parts/switch';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { settingsChange, settingsQuery, type Domain, type DomainSettings } from './query';

export function Settings({ domain }: { domain: Domain }) {
	const settings = useQuery(settingsQuery(domain.id));
	const may = mayChangeUse();
	const change = changeUse((what: Parameters<typeof settingsChange>[1]) => settingsChange(domain.id, what), { touches: [['domain', domain.id]], done: w.domains.saved });
	return (
		<section className="card">
			<h2>{w.domains.settings}</h2>
			<Ready of={settings}>
				{(settings) => (
					<>
						<Switch label={w.domains.tls} help={w.domains.tlsHelp} on={settings.tls === 'enforced'} disabled={!may} onChange={(on) => change.mutate({ tls: on ? 'enforced' : 'opportunistic' })} />
						<dl className="facts">
							<dt>{w.domains.returnPath}</dt>
							<dd>
								<code>{`${settings.custom_return_path}.${domain.name}`}</code>
							</dd>
						</dl>
						<TrackingHost domain={domain} settings={settings} />
					</>
				)}
			</Ready>
		</section>
	);
}

const tones: Record<DomainSettings['tracking']['status'], Tone> = { none: 'calm', record: 'warn', unreachable: 'bad', ready: 'good' };

function TrackingHost({ domain, settings: { tracking, tracking_subdomain } }: { domain: Domain; settings: DomainSettings }) {
	const data = useQueryClient();
	const set = async (values: FormData) => {
		await settingsChange(domain.id, { tracking_subdomain: said(values, 'labels') || null });
		void data.invalidateQueries({ queryKey: ['domain', domain.id] });
	};
	return (
		<>
			<div className="bar">
				<h3>{w.domains.trackingHost}</h3>
				{mayChangeUse() && (
					<FormButton look="quiet" name={w.domains.trackingSet} title={w.domains.trackingHost} action={w.do.save} onSubmit={set}>
						<Field label={w.domains.trackingLabels} name="labels" help={w.domains.trackingLabelsHelp(domain.name)} placeholder="links" defaultValue={tracking_subdomain ?? ''} />
					</FormButton>
				)}
			</div>
			<p className="soft">{w.domains.trackingText}</p>
			<dl className="facts">
				<dt>{w.domains.status}</dt>
				<dd>
					{tracking.host && <code>{tracking.host}</code>} <Badge tone={tones[tracking.status]}>{w.domains.trackingStates[tracking.status]}</Badge>
					<p className="help">{w.domains.trackingNext[tracking.status]}</p>
					{tracking.error && <p className="reply">{tracking.error}</p>}
				</dd>
				<dt>{w.domains.checked}</dt>
				<dd>
					<Time at={tracking.checked} form="whole" />
				</dd>
			</dl>
		</>
	);
}
