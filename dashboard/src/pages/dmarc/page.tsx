// SPDX-License-Identifier: MIT
// DMARC of a domain, for somebody who does not know it: what to publish next, who sends in its name, and what receivers reported.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { faultText } from '../../api/faults';
import { Badge, type Tone } from '../../parts/badge';
import { Copied } from '../../parts/copy';
import { Choice } from '../../parts/field';
import { Head } from '../../parts/head';
import { idnText } from '../../parts/idn';
import { Empty, Ready } from '../../parts/state';
import { ListTable, Table, type Column } from '../../parts/table';
import { Tabs } from '../../parts/tabs';
import { numberText, shareText, Time } from '../../parts/time';
import { w } from '../../words';
import { domainQuery } from '../domains/query';
import { dmarcQuery, dmarcReportsUse, groups, policyQuery, tlsReportsUse, type Group, type Kind, type Policy, type Row } from './query';

const periods = [30, 90, 400] as const;
const tones: Record<Kind, Tone> = { ours: 'good', other: 'info', broken: 'bad', failing: 'warn' };

export default function Dmarc({ params: { id } }: { params: Record<string, string> }) {
	const domain = useQuery(domainQuery(id));
	return (
		<>
			<Head title="DMARC" text={w.dmarc.text} back={{ to: `/domains/${id}`, name: domain.data ? idnText(domain.data.name) : w.domains.domain }} />
			<Advice id={id} />
			<Senders id={id} />
			<section className="section">
				<h2>{w.dmarc.reports}</h2>
				<Tabs
					label={w.dmarc.reports}
					tabs={[
						{ id: 'dmarc', name: 'DMARC', content: <DmarcReports id={id} /> },
						{ id: 'tls', name: 'TLS', content: <TlsReports id={id} /> },
					]}
				/>
			</section>
		</>
	);
}

function Advice({ id }: { id: string }) {
	const policy = useQuery(policyQuery(id));
	return (
		<section className="card">
			<h2>{w.dmarc.next}</h2>
			<Ready of={policy}>
				{(policy) => (
					<>
						<p>{policy.applied ? w.dmarc.now[policy.applied as 'none'] : w.dmarc.noRecord}</p>
						<NextStep advice={policy.advice} />
						{policy.warnings.map((warning) => (
							<p key={warning} className="error">
								{faultText(warning)}
							</p>
						))}
						<dl className="facts">
							<dt>{w.dmarc.record}</dt>
							<dd>{policy.record ? <Copied text={policy.record} name={w.dmarc.record} /> : '–'}</dd>
							<dt>{w.dmarc.foundAt}</dt>
							<dd>{policy.found_at ? <code>{policy.found_at}</code> : '–'}</dd>
							<dt>{w.dmarc.reportsHere}</dt>
							<dd>{policy.reports_here ? w.domains.yes : w.domains.no}</dd>
						</dl>
					</>
				)}
			</Ready>
		</section>
	);
}

function NextStep({ advice: { next, ready, reasons, record } }: { advice: Policy['advice'] }) {
	if (!next) return <p>{w.dmarc.done}</p>;
	return (
		<>
			<p>
				<Badge tone={ready ? 'good' : 'warn'}>{ready ? w.dmarc.ready : w.dmarc.notYet}</Badge> {w.dmarc.steps[next]}
			</p>
			{reasons.length > 0 && (
				<ul>
					{reasons.map((reason) => (
						<li key={reason}>{faultText(reason)}</li>
					))}
				</ul>
			)}
			{ready && record && <Copied text={record} name={w.dmarc.publish} />}
		</>
	);
}

function Senders({ id }: { id: string }) {
	const [group, setGroup] = useState<Group>('source');
	const [days, setDays] = useState<number>(periods[0]);
	const rows = useQuery(dmarcQuery(id, group, days));
	return (
		<section className="section">
			<h2>{w.dmarc.senders}</h2>
			<div className="filters">
				<Choice label={w.overview.by} value={group} onChange={(event) => setGroup(event.target.value as Group)} options={groups.map((value) => ({ value, name: w.dmarc.groups[value] }))} />
				<Choice label={w.overview.period} value={String(days)} onChange={(event) => setDays(Number(event.target.value))} options={periods.map((value) => ({ value: String(value), name: w.overview.days(value) }))} />
			</div>
			<Ready of={rows}>
				{(rows) =>
					rows.length ? (
						<>
							<Table label={w.dmarc.senders} rows={rows} id={({ key, kind }) => `${key} ${kind}`} columns={columnsOf(group)} />
							{group === 'source' && <Legend rows={rows} />}
						</>
					) : (
						<Empty title={w.dmarc.empty}>
							<p>{w.dmarc.emptyText}</p>
						</Empty>
					)
				}
			</Ready>
		</section>
	);
}

const columnsOf = (group: Group): Column<Row>[] => [
	{ name: w.dmarc.groups[group], cell: ({ key }) => <code>{key === 'other' ? w.dmarc.rest : key}</code> },
	...(group === 'source' ? [{ name: w.dmarc.kind, cell: ({ kind }: Row) => kind && <Badge tone={tones[kind]}>{w.dmarc.kinds[kind]}</Badge> }] : []),
	{ name: w.dmarc.messages, cell: ({ messages }) => numberText(messages) },
	{ name: w.dmarc.passed, cell: ({ passed, messages }) => shareText(passed, messages) },
	{ name: 'DKIM', minor: true, cell: ({ dkim_aligned, messages }) => shareText(dkim_aligned, messages) },
	{ name: 'SPF', minor: true, cell: ({ spf_aligned, messages }) => shareText(spf_aligned, messages) },
	{ name: w.dmarc.stopped, minor: true, cell: ({ quarantined, rejected }) => numberText(quarantined + rejected) },
];

/** Says of each kind that occurs what it means. */
function Legend({ rows }: { rows: Row[] }) {
	const kinds = (Object.keys(tones) as Kind[]).filter((kind) => rows.some((row) => row.kind === kind));
	return (
		<dl className="facts">
			{kinds.map((kind) => (
				<div key={kind} className="fact">
					<dt>
						<Badge tone={tones[kind]}>{w.dmarc.kinds[kind]}</Badge>
					</dt>
					<dd>{w.dmarc.kindTexts[kind]}</dd>
				</div>
			))}
		</dl>
	);
}

function DmarcReports({ id }: { id: string }) {
	return (
		<ListTable
			label={w.dmarc.reports}
			list={dmarcReportsUse(id)}
			id={({ id }) => id}
			empty={<Empty title={w.dmarc.noReports} />}
			columns={[
				{ name: w.dmarc.reporter, cell: ({ reporter }) => reporter },
				{ name: w.dmarc.from, cell: ({ begin }) => <Time at={begin} form="day" /> },
				{ name: w.dmarc.messages, cell: ({ messages }) => numberText(messages) },
				{ name: w.dmarc.vouched, cell: ({ verified }) => (verified ? <Badge tone="good">{w.dmarc.verified}</Badge> : <Badge>{w.dmarc.unverified}</Badge>) },
				{ name: w.dmarc.errors, minor: true, cell: ({ errors }) => errors.join('; ') },
			]}
		/>
	);
}

function TlsReports({ id }: { id: string }) {
	return (
		<ListTable
			label={w.dmarc.reports}
			list={tlsReportsUse(id)}
			id={({ id }) => id}
			empty={<Empty title={w.dmarc.noReports} />}
			columns={[
				{ name: w.dmarc.reporter, cell: ({ reporter }) => reporter },
				{ name: w.dmarc.from, cell: ({ begin }) => <Time at={begin} form="day" /> },
				{ name: w.dmarc.successful, cell: ({ successful }) => numberText(successful) },
				{ name: w.dmarc.failed, cell: ({ failed }) => numberText(failed) },
				{ name: w.dmarc.failures, minor: true, cell: ({ failures }) => failures.map(({ result_type, count }) => `${result_type} (${numberText(count)})`).join(', ') },
			]}
		/>
	);
}
