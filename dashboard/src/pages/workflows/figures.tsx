// SPDX-License-Identifier: MIT
// What became of a workflow's executions in a period, and how far people come: a funnel by node.
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { Link, useSearchParams } from 'wouter';
import { Choice } from '../../parts/field';
import { Empty, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, shareText } from '../../parts/time';
import { w } from '../../words';
import { designRead, inOrder } from './design';
import { WorkflowHead } from './head';
import { stepName } from './kinds';
import { runFigures, runsQuery, stepsQuery, workflowQuery } from './query';

const periods = [7, 30, 90, 365] as const;

export default function WorkflowFigures({ params: { id } }: { params: Record<string, string> }) {
	const workflow = useQuery(workflowQuery(id));
	const [search, setSearch] = useSearchParams();
	const days = periods.find((one) => String(one) === search.get('days')) ?? 30;
	const runs = useQuery(runsQuery(id, days));
	return (
		<>
			<WorkflowHead id={id} workflow={workflow.data} />
			<div className="filters">
				<Choice
					label={w.overview.period}
					value={String(days)}
					onChange={(event) => setSearch(event.target.value === '30' ? {} : { days: event.target.value })}
					options={periods.map((value) => ({ value: String(value), name: w.overview.days(value) }))}
				/>
			</div>
			<Ready of={runs}>
				{(runs) =>
					runs ? (
						<>
							<dl className="card cards">
								{runFigures.map((name) => (
									<div className="figure" key={name}>
										<dt>{w.workflows.runs[name]}</dt>
										<dd>
											{numberText(runs[name])}
											{name !== 'started' && <small>{shareText(runs[name], runs.started)}</small>}
										</dd>
									</div>
								))}
							</dl>
							<Ready of={workflow}>{(workflow) => <Funnel id={id} text={workflow.design} days={days} />}</Ready>
						</>
					) : (
						<Empty title={w.workflows.noFigures}>
							<p>{w.workflows.noExecutionsText}</p>
						</Empty>
					)
				}
			</Ready>
		</>
	);
}

/** The nodes in the order in which people come to them, each with its share of those who came to the first. */
function Funnel({ id, text, days }: { id: string; text: string; days: number }) {
	const steps = useQuery(stepsQuery(id, days));
	const nodes = useMemo(() => inOrder(designRead(text)), [text]);
	return (
		<Ready of={steps}>
			{(steps) => {
				const gone = [...steps.keys()].filter((key) => !nodes.some((node) => node.id === key));
				const rows = [...nodes.map((node) => ({ key: node.id, name: stepName(node), known: true })), ...gone.map((key) => ({ key, name: key, known: false }))];
				const most = Math.max(1, ...[...steps.values()].map(({ entered }) => entered));
				const of = (key: string) => steps.get(key) ?? { entered: 0, skipped: 0, failed: 0 };
				return (
					<section className="section" aria-label={w.workflows.funnel}>
						<h2>{w.workflows.funnel}</h2>
						<p className="soft">{w.workflows.funnelHelp}</p>
						<Table
							label={w.workflows.funnel}
							rows={rows}
							id={({ key }) => key}
							columns={[
								{ name: w.workflows.node, cell: ({ key, name, known }) => (known ? <Link to={`/workflows/${id}?node=${encodeURIComponent(key)}`}>{name}</Link> : `${name} (${w.workflows.nodeGone})`) },
								{
									name: w.workflows.entered,
									cell: ({ key }) => (
										<span className="funnel">
											<meter min={0} max={most} value={of(key).entered} aria-label={w.workflows.entered} />
											{numberText(of(key).entered)} <span className="soft">{shareText(of(key).entered, most)}</span>
										</span>
									),
								},
								{ name: w.workflows.skippedHere, minor: true, cell: ({ key }) => numberText(of(key).skipped) },
								{ name: w.workflows.failedHere, cell: ({ key }) => numberText(of(key).failed) },
							]}
						/>
					</section>
				);
			}}
		</Ready>
	);
}
