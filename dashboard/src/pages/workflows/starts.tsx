// SPDX-License-Identifier: MIT
// The starts of a workflow, by which it begins for many people or one, and a new one.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { Link } from 'wouter';
import { choicesUse, nameUse } from '../../api/choices';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge, type Tone } from '../../parts/badge';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Choice, Field, said, TextField } from '../../parts/field';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { WorkflowHead } from './head';
import { startAdd, startCancel, startOver, startsUse, workflowQuery, type Start } from './query';

const tones: Record<Start['status'], Tone> = { pending: 'calm', running: 'info', done: 'good', cancelled: 'warn', skipped: 'warn', failed: 'bad' };
const kinds = ['email', 'audience_id', 'segment_id'] as const;
type Kind = (typeof kinds)[number];

export default function Starts({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	const list = startsUse(id);
	const may = mayChangeUse();
	const nameOf = { audience: nameUse('audiences'), segment: nameUse('segments') };
	return (
		<>
			<WorkflowHead id={id} workflow={workflow.data}>
				{may && workflow.data?.status === 'active' && <NewStart id={id} />}
			</WorkflowHead>
			<ListTable
				label={w.workflows.starts}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.starts.empty}>
						<p>{w.starts.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.starts.who, cell: ({ audience_id, segment_id, counts }) => (audience_id ? nameOf.audience(audience_id) : segment_id ? nameOf.segment(segment_id) : w.starts.people(counts.people)) },
					{ name: w.starts.source, minor: true, cell: ({ source }) => w.starts.sources[source] },
					{
						name: w.workflows.status,
						cell: ({ status, error }) => (
							<>
								<Badge tone={tones[status]}>{w.starts.states[status]}</Badge>
								{error && <p className="reply">{error}</p>}
							</>
						),
					},
					{ name: w.starts.begun, cell: ({ counts, execution_id }) => (execution_id ? <Link to={`/workflows/${id}/executions/${execution_id}`}>{numberText(counts.started)}</Link> : numberText(counts.started)) },
					{ name: w.starts.keptOut, minor: true, cell: ({ counts: { filter, reentry } }) => numberText(filter + reentry) },
					{ name: w.workflows.began, minor: true, cell: ({ created }) => <Time at={created} /> },
					{ name: w.starts.cancel, actions: true, cell: (start) => may && !startOver(start) && <Cancel id={id} start={start.id} /> },
				]}
			/>
		</>
	);
}

function Cancel({ id, start }: { id: string; start: string }) {
	const cancel = changeUse(() => startCancel(id, start), { touches: [['starts', id]], done: w.starts.cancelled });
	return <ConfirmButton quiet name={w.starts.cancel} title={w.starts.cancelTitle} text={w.starts.cancelText} onConfirm={() => cancel.mutate()} />;
}

function NewStart({ id }: { id: string }) {
	const [kind, setKind] = useState<Kind>('email');
	const lists = { audience_id: choicesUse('audiences'), segment_id: choicesUse('segments') };
	const data = useQueryClient();
	const start = async (values: FormData) => {
		const properties = JSON.parse(said(values, 'properties') || '{}') as never;
		await startAdd(id, { [kind]: said(values, 'who'), properties });
		for (const queryKey of [['starts', id], ['executions', id]]) void data.invalidateQueries({ queryKey });
	};
	return (
		<FormButton name={w.starts.add} title={w.starts.add} action={w.starts.add} onSubmit={start}>
			<p>{w.starts.addText}</p>
			<Choice label={w.starts.kind} value={kind} onChange={(event) => setKind(event.target.value as Kind)} options={kinds.map((value) => ({ value, name: w.starts.kinds[value] }))} />
			{kind === 'email' ? (
				<Field key={kind} label={w.people.email} name="who" type="email" required />
			) : (
				<Choice key={kind} label={w.starts.kinds[kind]} name="who" options={lists[kind].map(({ id, name }) => ({ value: id, name }))} required />
			)}
			<TextField label={w.workflows.eventProperties} name="properties" rows={3} spellCheck={false} defaultValue="{}" />
		</FormButton>
	);
}
