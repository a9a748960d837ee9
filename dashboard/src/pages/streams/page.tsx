// SPDX-License-Identifier: MIT
// Streams: the three kinds of mail, each with its pause, its pace and its figures.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { FormButton } from '../../parts/dialog';
import { Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Ready } from '../../parts/state';
import { numberText, shareText, Time } from '../../parts/time';
import { w } from '../../words';
import { figuresQuery, streamChange, streamsQuery, type Figures, type Stream } from './query';

const shown = ['delivered', 'opened', 'bounced', 'complained'] as const;
const touches = [['streams'], ['waiting']];

export default function Streams() {
	const streams = useQuery(streamsQuery);
	const figures = useQuery(figuresQuery).data;
	return (
		<>
			<Head title={w.streams.name} text={w.streams.text} />
			<Ready of={streams}>
				{(streams) => streams.map((stream) => <Card key={stream.name} stream={stream} figures={figures?.find(({ key }) => key === stream.name)} />)}
			</Ready>
		</>
	);
}

function Card({ stream, figures }: { stream: Stream; figures?: Figures }) {
	const { name, paused, per_hour, reason, changed, waiting } = stream;
	const lines: [string, React.ReactNode][] = [
		[w.streams.state, <Badge key="state" tone={paused ? 'warn' : 'good'}>{paused ? w.streams.paused : w.streams.leaves}</Badge>],
		[w.streams.reason, paused && reason],
		[w.streams.pace, per_hour ? w.streams.anHour(per_hour) : w.streams.noPace],
		[w.streams.waiting, numberText(waiting)],
		[w.streams.changed, changed && <Time key="changed" at={changed} />],
		[w.figure.sent, figures && numberText(figures.sent)],
		...shown.map((kind): [string, React.ReactNode] => [w.figure[kind], figures && `${numberText(figures[kind])} (${shareText(figures[kind], figures.sent)})`]),
	];
	return (
		<section className="card">
			<div className="bar">
				<h2>{w.streams.names[name]}</h2>
				<Actions stream={stream} />
			</div>
			<p className="soft">{w.streams.texts[name]}</p>
			<dl className="facts">
				{lines.map(
					([title, value]) =>
						value && (
							<div key={title} className="fact">
								<dt>{title}</dt>
								<dd>{value}</dd>
							</div>
						),
				)}
			</dl>
		</section>
	);
}

function Actions({ stream: { name, paused, per_hour } }: { stream: Stream }) {
	const data = useQueryClient();
	const resume = changeUse(() => streamChange(name, { paused: false }), { touches, done: w.streams.resumed });
	const change = async (what: Parameters<typeof streamChange>[1]) => {
		await streamChange(name, what);
		for (const queryKey of touches) void data.invalidateQueries({ queryKey });
	};
	if (!mayChangeUse()) return null;
	return (
		<span>
			<FormButton look="quiet" name={w.streams.setPace} title={`${w.streams.names[name]}: ${w.streams.setPace}`} action={w.do.save} onSubmit={(values) => change({ per_hour: Number(said(values, 'per_hour')) })}>
				<Field label={w.streams.perHour} name="per_hour" type="number" min={0} max={10_000_000} defaultValue={per_hour} help={w.streams.perHourHelp} required />
			</FormButton>
			{paused ? (
				<Button busy={resume.isPending} onClick={() => resume.mutate()}>
					{w.streams.resume}
				</Button>
			) : (
				<FormButton look="plain" name={w.streams.pause} title={w.streams.pauseTitle(w.streams.names[name])} action={w.streams.pause} onSubmit={(values) => change({ paused: true, reason: said(values, 'reason') || null })}>
					<p>{w.streams.pauseText}</p>
					<Field label={w.streams.reason} name="reason" maxLength={500} />
				</FormButton>
			)}
		</span>
	);
}
