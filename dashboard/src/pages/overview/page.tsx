// SPDX-License-Identifier: MIT
// Overview: today and 30 days, what waits, what needs a hand.
import { useQuery, type UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { useSearchParams } from 'wouter';
import { domainsQuery } from '../../api/domains';
import { isOwnerUse } from '../../api/session';
import { Choice } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty, Loading, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, shareText, timeText } from '../../parts/time';
import { w } from '../../words';
import { Attention } from './attention';
import { breakdownQuery, figuresQuery, periods, shown, stepsQuery, waitingQuery, webhooksQuery, type Day, type Period } from './query';
import { Waiting } from './waiting';

const Chart = lazy(() => import('./chart'));
const Steps = lazy(() => import('./steps'));
const Breakdown = lazy(() => import('./breakdown'));

export default function Overview() {
	const [search, setSearch] = useSearchParams();
	const days = periods.find((one) => String(one) === search.get('days')) ?? 30;
	const figures = useQuery(figuresQuery(days));
	aheadUse(days);
	return (
		<>
			<Head title={w.overview.name} text={w.overview.text}>
				<Choice
					label={w.overview.period}
					value={String(days)}
					onChange={(event) => setSearch(event.target.value === '30' ? {} : { days: event.target.value })}
					options={periods.map((value) => ({ value: String(value), name: w.overview.days(value) }))}
				/>
			</Head>
			<Suspense fallback={<Loading />}>
				<Parts days={days} figures={figures} />
			</Suspense>
		</>
	);
}

/** Asks for the parts before their files are there. */
function aheadUse(days: Period) {
	useQuery({ ...stepsQuery, enabled: isOwnerUse() });
	useQuery(domainsQuery);
	useQuery(webhooksQuery);
	useQuery(waitingQuery);
	useQuery(breakdownQuery('domain', days));
}

function Parts({ days, figures }: { days: Period; figures: UseQueryResult<{ now: Day[]; before: Day[] }> }) {
	return (
		<>
			<Steps />
			<Attention />
			<Ready of={figures}>
				{({ now, before }) =>
					[...now, ...before].every(({ figures }) => shown.every((name) => !figures[name])) ? (
						<Empty title={w.overview.empty}>
							<p>{w.overview.emptyText}</p>
						</Empty>
					) : (
						<>
							<Sums title={w.overview.today} days={now.slice(-1)} />
							<Sums title={w.overview.days(days)} days={now} before={before} />
							<section className="card" aria-labelledby="chart">
								<h2 id="chart">{w.overview.chart}</h2>
								<div className="chart-box">
									<Suspense fallback={<Loading />}>
										<Chart days={now} />
									</Suspense>
								</div>
								<details>
									<summary>{w.overview.table}</summary>
									<DayTable days={now} />
								</details>
							</section>
							<Breakdown days={days} />
						</>
					)
				}
			</Ready>
			<Waiting />
		</>
	);
}

function Sums({ title, days, before }: { title: string; days: Day[]; before?: Day[] }) {
	const sum = (of: Day[], name: (typeof shown)[number]) => of.reduce((all, { figures }) => all + figures[name], 0);
	return (
		<section className="section">
			<h2>{title}</h2>
			<dl className="cards">
				{shown.map((name) => (
					<div key={name} className="card figure">
						<dt>{w.figure[name]}</dt>
						<dd>
							{numberText(sum(days, name))}
							{name !== 'sent' && <small>{shareText(sum(days, name), sum(days, 'sent'))}</small>}
						</dd>
						{before && <dd className="help">{w.overview.before(numberText(sum(before, name)))}</dd>}
					</div>
				))}
			</dl>
		</section>
	);
}

function DayTable({ days }: { days: Day[] }) {
	return (
		<Table
			label={w.overview.table}
			rows={[...days].reverse()}
			id={(row) => String(row.day)}
			columns={[
				{ name: w.overview.day, cell: (row) => timeText(row.day + 43_200_000, 'day') },
				...shown.map((name) => ({ name: w.figure[name], cell: (row: Day) => numberText(row.figures[name]) })),
			]}
		/>
	);
}
