// SPDX-License-Identifier: MIT
// What happened to a person, newest first: choices, emails, events.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { nameUse } from '../../api/choices';
import { Choice } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { formNamesQuery, historyKinds, historyUse, workflowNamesQuery, type HistoryKind, type HistoryRow } from './query';

export function History({ email }: { email: string }) {
	const [kind, setKind] = useState<HistoryKind | undefined>();
	const list = historyUse(email, kind);
	return (
		<>
		<div className="filters">
			<Choice
				label={w.people.kind}
				value={kind ?? ''}
				onChange={({ target }) => setKind(historyKinds.find((one) => one === target.value))}
				options={[{ value: '', name: w.people.anyKind }, ...historyKinds.map((value) => ({ value, name: w.people.kinds[value] }))]}
			/>
		</div>
		<ListTable
			label={w.people.history}
			list={list}
			id={(row) => `${row.timestamp} ${row.type} ${JSON.stringify(row.about)}`}
			empty={<Empty title={w.people.historyEmpty} />}
			columns={[
				{ name: w.people.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
				{ name: w.people.what, cell: (row) => <What of={row} /> },
				{ name: w.people.by, cell: (row) => byText(row) },
			]}
		/>
		</>
	);
}

/** Who did it, by name where it is known, and by which way. */
function byText({ by, actor, source }: HistoryRow) {
	const who = actor?.name ?? (by === 'operator' && source === 'workflow' ? null : by && w.people.actor[by]);
	const way = source && ((w.people.sources as Record<string, string>)[source] ?? source);
	return [who, way].filter(Boolean).join(', ') || '–';
}

const words = (type: string) => (w.people.did as Record<string, string>)[type] ?? (w.event as Record<string, string>)[type] ?? type;

function What({ of: { type, about, reason } }: { of: HistoryRow }) {
	const names = { audience: nameUse('audiences'), topic: nameUse('topics'), broadcast: nameUse('broadcasts') };
	const workflows = useQuery(workflowNamesQuery).data;
	const forms = useQuery({ ...formNamesQuery, enabled: about.form_id !== undefined }).data;
	const { audience_id, topic_id, broadcast_id, workflow_id, form_id } = about;
	return (
		<>
			{about.email_id ? <Link to={`/emails/${about.email_id}`}>{words(type)}</Link> : words(type)} {about.event_name && <code>{about.event_name}</code>}
			{audience_id && <Link to={`/audiences/${audience_id}`}>{names.audience(audience_id)}</Link>} {topic_id && <span>{names.topic(topic_id)}</span>} {form_id && <Link to="/forms">{forms?.get(form_id) ?? w.forms.form}</Link>}
			{broadcast_id && <Link to={`/broadcasts/${broadcast_id}`}>{names.broadcast(broadcast_id)}</Link>} {workflow_id && <Link to={`/workflows/${workflow_id}`}>{workflows?.get(workflow_id) ?? w.workflows.workflow}</Link>}
			{(about.link ?? reason) && <p className="reply">{about.link ?? reason}</p>}
		</>
	);
}
