// SPDX-License-Identifier: MIT
// One execution: its path step by step, and on the canvas where the design is still its own.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { ReactFlowProvider } from '@xyflow/react';
import { useMemo } from 'react';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { changeUse, type List } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { whyText } from '../../api/why';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { ConfirmButton } from '../../parts/dialog';
import { Head } from '../../parts/head';
import { Failed, Loading, Ready } from '../../parts/state';
import { Time } from '../../parts/time';
import { w } from '../../words';
import type { EventStatus } from '../emails/query';
import { toneOf } from '../emails/status';
import { Canvas } from './canvas';
import { designRead, type Design, type Step as Node } from './design';
import { kindName, stepName, wayName } from './kinds';
import { executionCancel, executionEmailsQuery, executionQuery, stepsUse, versionQuery, workflowQuery, type Execution, type Step, type Workflow } from './query';
import { pathUse } from './simulation';
import { ExecutionBadge, stepTones } from './status';

export default function ExecutionPage({ params: { id, execution } }: { params: Record<string, string> }) {
	const details = useQuery(executionQuery(execution));
	const workflow = useQuery(workflowQuery(id));
	const steps = stepsUse(execution);
	const may = mayChangeUse();
	const data = useQueryClient();
	const used = details.data?.version_used;
	const own = useQuery({ ...versionQuery(id, used ?? 0), enabled: used !== undefined }).data?.design;
	const design = useMemo(() => (own === undefined ? undefined : designRead(own)), [own]);
	const ends = details.data && !['IN_PROGRESS', 'WAITING'].includes(details.data.status);
	return (
		<>
			<Head title={details.data?.context.email ?? w.workflows.execution} text={details.data && <ExecutionBadge status={details.data.status} />} back={{ to: `/workflows/${id}/executions`, name: w.workflows.executions }}>
				<Button busy={steps.isRefetching} onClick={() => void Promise.all([steps.refetch(), details.refetch(), data.invalidateQueries({ queryKey: ['execution', execution, 'emails'] })])}>
					{w.workflows.refresh}
				</Button>
				{may && details.data && !ends && <Cancel id={execution} workflow={id} />}
			</Head>
			<Ready of={details}>{(details) => <Facts execution={details} workflow={workflow.data} />}</Ready>
			<div className={design ? 'two' : undefined}>
				{design && (
					<ReactFlowProvider>
						<Way design={design} steps={steps.rows} />
					</ReactFlowProvider>
				)}
				<Steps id={execution} list={steps} nodes={design?.nodes ?? []} />
			</div>
		</>
	);
}

function Cancel({ id, workflow }: { id: string; workflow: string }) {
	const cancel = changeUse(() => executionCancel(id), { touches: [['execution', id], ['executions', workflow]], done: w.workflows.cancelled });
	return <ConfirmButton name={w.workflows.cancel} title={w.workflows.cancelTitle} text={w.workflows.cancelText} onConfirm={() => cancel.mutate()} />;
}

function Facts({ execution, workflow }: { execution: Execution; workflow?: Workflow }) {
	const { version_used, created_at, completed_at, wait_until, error, cancellation_reason, context } = execution;
	return (
		<section className="card">
			<dl className="facts">
				<dt>{w.workflows.person}</dt>
				<dd>
					<Link to={`/people/${encodeURIComponent(context.email)}`}>{context.email}</Link>
				</dd>
				<dt>{w.workflows.workflow}</dt>
				<dd>
					<Link to={`/workflows/${execution.workflow_id}`}>{workflow?.name ?? execution.workflow_id}</Link>, {w.workflows.versionOf(version_used)}
					{workflow && workflow.current_version !== version_used && <p className="help"><Link to={`/workflows/${execution.workflow_id}/versions?before=${version_used}`}>{w.workflows.otherVersion(workflow.current_version)}</Link></p>}
				</dd>
				<dt>{w.workflows.began}</dt>
				<dd>
					<Time at={created_at} form="whole" />
				</dd>
				{completed_at && (
					<>
						<dt>{w.workflows.ended}</dt>
						<dd>
							<Time at={completed_at} form="whole" />
						</dd>
					</>
				)}
				{wait_until && (
					<>
						<dt>{w.workflows.waitUntil}</dt>
						<dd>
							<Time at={wait_until} form="whole" />
						</dd>
					</>
				)}
				{error && (
					<>
						<dt>{w.workflows.error}</dt>
						<dd className="error">{whyText(error.message)}</dd>
					</>
				)}
				{cancellation_reason && (
					<>
						<dt>{w.workflows.reason}</dt>
						<dd>{w.workflows.reasons[cancellation_reason]}</dd>
					</>
				)}
			</dl>
		</section>
	);
}

function Way({ design, steps }: { design: Design; steps: Step[] }) {
	return <Canvas label={w.workflows.wayTaken} design={design} path={pathUse(steps, design)} />;
}

function Steps({ id, list, nodes }: { id: string; list: List<Step>; nodes: Node[] }) {
	const emails = useQuery({ ...executionEmailsQuery(id), enabled: list.rows.some(({ email_id }) => email_id) }).data;
	if (list.isPending) return <Loading of={list} />;
	if (!list.data) return <Failed why={list.error ?? new Error('')} again={() => void list.refetch()} />;
	return (
		<section className="section">
			<h2>{w.workflows.steps}</h2>
			<ol className="timeline" aria-label={w.workflows.steps}>
				{list.rows.map((step) => (
					<li key={step.sequence} className={step.result ? stepTones[step.result] : undefined}>
						<StepLine step={step} node={nodes.find(({ id }) => id === step.step_id)} email={step.email_id ? emails?.get(step.email_id) : undefined} />
					</li>
				))}
			</ol>
			{list.hasNextPage && (
				<p className="more">
					<Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
						{w.do.more}
					</Button>
				</p>
			)}
		</section>
	);
}

function StepLine({ step, node, email }: { step: Step; node?: Node; email?: Schemas['WorkflowEmail'] }) {
	const { result, branch, why, error, email_id, wait_until } = step;
	const last = email?.events.at(-1)?.status as EventStatus | undefined;
	return (
		<div>
			<p>
				<strong>{node ? stepName(node) : kindName(step.type ?? undefined)}</strong> <code>{step.step_id}</code> {result && <Badge tone={stepTones[result]}>{w.workflows.result[result]}</Badge>}
				{branch && ` → ${wayName(branch)}`}
			</p>
			{why && <p className="reply">{whyText(why)}</p>}
			{error && <p className="reply error">{whyText(error)}</p>}
			{email_id && (
				<p>
					<Link to={`/emails/${email_id}`}>{email?.subject || w.workflows.theEmail}</Link> {last && <Badge tone={toneOf[last]}>{w.event[last]}</Badge>}
				</p>
			)}
			<p className="help">
				<Time at={step.entered_at} form="whole" />
				{wait_until && (
					<>
						{' · '}
						{w.workflows.waitUntil}: <Time at={wait_until} form="whole" />
					</>
				)}
			</p>
		</div>
	);
}
