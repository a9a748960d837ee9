// SPDX-License-Identifier: MIT
// The figures of 30 days as lines, drawn by uPlot; the table beside it has the same for those who do not see it.
import { useEffect, useRef, useState } from 'react';
import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { numberText, timeText } from '../../parts/time';
import { w } from '../../words';
import type { Day } from './query';

type Days = Day[];
const lines = [
	['sent', '--accent'],
	['delivered', '--good'],
	['opened', '--warn'],
	['bounced', '--bad'],
] as const;

export default function Chart({ days }: { days: Days }) {
	const box = useRef<HTMLDivElement>(null);
	const [at, setAt] = useState<number | null>(null);
	useEffect(() => {
		const at = box.current!;
		let plot: uPlot | undefined;
		const draw = () => {
			plot?.destroy();
			plot = new uPlot(options(at.clientWidth, setAt), data(days), at);
		};
		const size = new ResizeObserver(() => plot?.setSize({ width: at.clientWidth, height: 220 }));
		draw();
		size.observe(at);
		addEventListener('posthouse-theme', draw);
		return () => {
			removeEventListener('posthouse-theme', draw);
			size.disconnect();
			plot?.destroy();
		};
	}, [days]);
	const here = at === null ? undefined : days[at];
	return (
		<>
			<div className="chart" ref={box} role="img" aria-label={w.overview.chart} />
			<div className="legend" aria-hidden="true">
				{here && <span>{timeText(here.day + 43_200_000, 'day')}</span>}
				{lines.map(([name]) => (
					<span key={name}>
						<i className={name} />
						{w.figure[name]} {here && <strong>{numberText(here.figures[name])}</strong>}
					</span>
				))}
			</div>
		</>
	);
}

/** Lines that often lie on one another are told apart. */
const dashes: Partial<Record<(typeof lines)[number][0], number[]>> = { delivered: [8, 5], opened: [2, 4], bounced: [10, 4, 2, 4] };

const data = (days: Days): uPlot.AlignedData => [
	days.map(({ day }) => day / 1000),
	...lines.map(([name]) => days.map(({ figures }) => figures[name])),
];

function options(width: number, onPoint: (index: number | null) => void): uPlot.Options {
	const style = getComputedStyle(document.documentElement);
	const colour = (name: string) => style.getPropertyValue(name);
	const axis = { stroke: colour('--soft'), grid: { stroke: colour('--line'), width: 1 }, ticks: { show: false } };
	return {
		width,
		height: 220,
		legend: { show: false },
		cursor: { y: false },
		hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? null)] },
		scales: { x: { time: false }, y: { range: (_, __, most) => [0, Math.max(4, most * 1.1)] } },
		axes: [
			{ ...axis, space: 80, values: (_, splits) => splits.map((at) => timeText(at * 1000 + 43_200_000, 'day').replace(/ ?\d{4}$|, \d{4}$/, '')) },
			{ ...axis, size: 44 },
		],
		series: [{}, ...lines.map(([name, token]) => ({ label: w.figure[name], stroke: colour(token), width: 2, dash: dashes[name], points: { show: false } }))],
	};
}
