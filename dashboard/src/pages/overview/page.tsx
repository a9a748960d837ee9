// SPDX-License-Identifier: MIT
// Overview: today and 30 days, what waits, what needs a hand.
import { useQuery } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import { Head } from '../../parts/head';
import { Empty, Loading, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, shareText, timeText } from '../../parts/time';
import { w } from '../../words';
import { Attention } from './attention';
import { figuresQuery, shown } from './query';
import { Waiting } from './waiting';

const Chart = lazy(() => import('./chart'));
type Days = NonNullable<Awaited<ReturnType<NonNullable<typeof figuresQuery.queryFn>>>>;

export default function Overview() {
	const figures = useQuery(figuresQuery);
	return (
		<>
			<Head title={w.overview.name} text={w.overview.text} />
			<Attention />
			<Ready of={figures}>
				{(days) =>
					days.every(({ figures }) => shown.every((name) => !figures[name])) ? (
						<Empty title={w.overview.empty}>
							<p>{w.overview.emptyText}</p>
						</Empty>
					) : (
						<>
							<Sums title={w.overview.today} days={days.slice(-1)} />
							<Sums title={w.overview.month} days={days} />
							<section className="card" aria-labelledby="chart">
								<h2 id="chart">{w.overview.chart}</h2>
								<Suspense fallback={<Loading />}>
									<Chart days={days} />
								</Suspense>
								<details>
									<summary>{w.overview.table}</summary>
									<DayTable days={days} />
								</details>
							</section>
						</>
					)
				}
			</Ready>
			<Waiting />
		</>
	);
}

function Sums({ title, days }: { title: string; days: Days }) {
	const sum = (name: (typeof shown)[number]) => days.reduce((all, { figures }) => all + figures[name], 0);
	return (
		<section className="section">
			<h2>{title}</h2>
			<dl className="cards">
				{shown.map((name) => (
					<div key={name} className="card figure">
						<dt>{w.figure[name]}</dt>
						<dd>
							{numberText(sum(name))}
							{name !== 'sent' && <small>{shareText(sum(name), sum('sent'))}</small>}
						</dd>
					</div>
				))}
			</dl>
		</section>
	);
}

function DayTable({ days }: { days: Days }) {
	return (
		<Table
			label={w.overview.table}
			rows={[...days].reverse()}
			id={(row) => String(row.day)}
			columns={[
				{ name: w.overview.day, cell: (row) => timeText(row.day + 43_200_000, 'day') },
				...shown.map((name) => ({ name: w.figure[name], cell: (row: Days[0]) => numberText(row.figures[name]) })),
			]}
		/>
	);
}
