// SPDX-License-Identifier: MIT
// The records to publish: one by one with what DNS says, and as lines of a zone file.
import { Badge } from '../../parts/badge';
import { Copied, CopyButton } from '../../parts/copy';
import { Table } from '../../parts/table';
import { w } from '../../words';
import type { DnsRecord, Domain } from './query';

export function Records({ domain }: { domain: Domain }) {
	const zone = domain.dns_records.map((record) => zoneLine(record, domain.name)).join('\n');
	return (
		<section className="section">
			<h2>{w.domains.records}</h2>
			<p className="soft">{w.domains.recordsText}</p>
			<Table
				label={w.domains.records}
				rows={domain.dns_records}
				id={(record) => `${record.type} ${record.name} ${record.value}`}
				columns={[
					{ name: w.domains.state, cell: (record) => <State record={record} /> },
					{ name: w.domains.type, cell: ({ type, priority }) => (priority === undefined ? type : `${type} ${priority}`) },
					{ name: w.domains.recordName, cell: ({ name }) => <Name name={name} domain={domain.name} /> },
					{ name: w.domains.value, cell: (record) => <Value record={record} /> },
				]}
			/>
			<details className="card">
				<summary>{w.domains.zone}</summary>
				<div className="row">
					<CopyButton text={zone} name={w.domains.zone} />
				</div>
				<pre className="source" tabIndex={0}>{zone}</pre>
			</details>
		</section>
	);
}

function State({ record: { status, required, for: purpose } }: { record: DnsRecord }) {
	const tone = status === 'found' ? 'good' : status === null || status === undefined ? 'calm' : required ? 'bad' : 'warn';
	return (
		<div>
			<Badge tone={tone}>{status ? w.domains[status] : w.domains.unknown}</Badge>
			<p className="help">
				{purpose === 'DKIM' ? w.domains.forDkim : purpose === 'MAIL FROM domain' ? w.domains.forFrom : w.domains.forDmarc}
				{!required && `, ${w.domains.optional}`}
			</p>
		</div>
	);
}

function Name({ name, domain }: { name: string; domain: string }) {
	return (
		<div className="record-name">
			<Copied text={name} name={w.domains.recordName} />
			<p className="help">
				{name}.{domain}
			</p>
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

/** A line of a zone file; a text is cut into strings of at most 255 characters. */
function zoneLine({ type, name, value, priority }: DnsRecord, domain: string) {
	const content = type === 'TXT' ? (value.match(/.{1,255}/g) ?? ['']).map((part) => `"${part.replace(/["\\]/g, '\\$&')}"`).join(' ') : `${priority ?? 10} ${value.replace(/\.?$/, '.')}`;
	return `${name}.${domain}. IN ${type} ${content}`;
}
