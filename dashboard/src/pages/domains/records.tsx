// SPDX-License-Identifier: MIT
// The records to publish: one by one with what DNS says, and as lines of a zone file.
import { useQuery } from '@tanstack/react-query';
import { fileSave } from '../../api/csv';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Copied, CopyButton } from '../../parts/copy';
import { Table } from '../../parts/table';
import { w } from '../../words';
import { zoneQuery, type DnsRecord, type Domain } from './query';

export function Records({ domain }: { domain: Domain }) {
	return (
		<section className="section">
			<h2>{w.domains.records}</h2>
			<p className="soft">{w.domains.recordsText(zoneOf(domain))}</p>
			<Table
				label={w.domains.records}
				rows={domain.dns_records}
				id={(record) => `${record.type} ${record.name} ${record.value}`}
				columns={[
					{ name: w.domains.state, cell: (record) => <State record={record} /> },
					{ name: w.domains.type, cell: ({ type, priority }) => (priority === undefined ? type : `${type} ${priority}`) },
					{ name: w.domains.recordName, cell: ({ name }) => <Name name={name} zone={zoneOf(domain)} /> },
					{ name: w.domains.value, cell: (record) => <Value record={record} /> },
				]}
			/>
			<Zone domain={domain} />
		</section>
	);
}

const purposes: Record<string, () => string> = {
	DKIM: () => w.domains.forDkim,
	'MAIL FROM domain': () => w.domains.forFrom,
	'DMARC (highly recommended)': () => w.domains.forDmarc,
	Receiving: () => w.domains.forReceiving,
	'TLS reports': () => w.domains.forTls,
	TRACKING: () => w.domains.forTracking,
};

function State({ record: { status, required, for: purpose } }: { record: DnsRecord }) {
	const tone = status === 'found' ? 'good' : status === null || status === undefined ? 'calm' : required ? 'bad' : 'warn';
	return (
		<div>
			<Badge tone={tone}>{status ? w.domains[status] : w.domains.unknown}</Badge>
			<p className="help">
				{purposes[purpose]?.() ?? purpose}
				{!required && `, ${w.domains.optional}`}
			</p>
		</div>
	);
}

/** The domain to which the names of records are relative, which a sub-domain is below: its own label stands in their names. */
function zoneOf({ name, dns_records }: Domain) {
	const policy = dns_records.find((record) => record.name.startsWith('_dmarc'))?.name ?? '';
	const below = policy.slice('_dmarc.'.length);
	return below && name.startsWith(`${below}.`) ? name.slice(below.length + 1) : name;
}

/** Some providers take the name before their zone, and others the whole of it. */
function Name({ name, zone }: { name: string; zone: string }) {
	return (
		<div className="record-name">
			<Copied text={name} name={w.domains.shortName} />
			<Copied text={`${name}.${zone}`} name={w.domains.wholeName} />
		</div>
	);
}

function Value({ record }: { record: DnsRecord }) {
	return (
		<div>
			<Copied text={record.value} name={w.domains.value} />
			{record.status === 'wrong' && record.found && <p className="help">{w.domains.dnsSays(record.found)}</p>}
		</div>
	);
}

function Zone({ domain: { id, name } }: { domain: Domain }) {
	const zone = useQuery(zoneQuery(id)).data ?? '';
	return (
		<details className="card">
			<summary>{w.domains.zone}</summary>
			<div className="row">
				<CopyButton text={zone} name={w.domains.zone} />
				<Button look="quiet" onClick={() => fileSave(`${name}.zone`, [zone])}>
					{w.domains.zoneSave}
				</Button>
			</div>
			<pre className="source" tabIndex={0}>
				{zone}
			</pre>
		</details>
	);
}
