// SPDX-License-Identifier: MIT
// The head of the pages of one workflow: its name, state, versions, and the ways between them.
import type { ReactNode } from 'react';
import { Link, useLocation } from 'wouter';
import { Head } from '../../parts/head';
import { w } from '../../words';
import type { Workflow } from './query';
import { WorkflowBadge } from './status';

/** On a phone the tabs are pushed to the side until that of the page is seen. */
const seen = (tabs: HTMLElement | null) => {
	const here = tabs?.querySelector<HTMLElement>('[aria-current]');
	if (here) tabs!.scrollLeft = here.offsetLeft - tabs!.offsetLeft - (tabs!.clientWidth - here.offsetWidth) / 2;
};

export function WorkflowHead({ id, workflow, children }: { id: string; workflow?: Workflow; children?: ReactNode }) {
	const [path] = useLocation();
	const tabs = [
		{ to: `/workflows/${id}`, name: w.workflows.design },
		{ to: `/workflows/${id}/executions`, name: w.workflows.executions },
		{ to: `/workflows/${id}/figures`, name: w.workflows.figures },
		{ to: `/workflows/${id}/starts`, name: w.workflows.starts },
		{ to: `/workflows/${id}/versions`, name: w.workflows.versions },
		{ to: `/workflows/${id}/emails`, name: w.workflows.emails },
	];
	return (
		<>
			<Head
				title={workflow?.name ?? w.workflows.workflow}
				text={
					workflow && (
						<>
							<WorkflowBadge status={workflow.status} /> {versionText(workflow)}
						</>
					)
				}
				back={{ to: '/workflows', name: w.workflows.name }}
			>
				{children}
			</Head>
			<nav className="flow-tabs" aria-label={w.workflows.workflow} ref={seen}>
				{tabs.map(({ to, name }) => (
					<Link key={to} className="tab" to={to} aria-current={path === to ? 'page' : undefined}>
						{name}
					</Link>
				))}
			</nav>
		</>
	);
}

function versionText({ current_version: current, active_version: active }: Workflow) {
	if (!active) return w.workflows.versionNever(current);
	return active === current ? w.workflows.versionSame(current) : w.workflows.versionOther(current, active);
}
