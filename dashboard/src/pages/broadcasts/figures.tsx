// SPDX-License-Identifier: MIT
// What became of a broadcast so far, and of each of its variants.
import { useQuery } from '@tanstack/react-query';
import { changeUse } from '../../api/list';
import { Badge } from '../../parts/badge';
import { Button } from '../../parts/button';
import { Table } from '../../parts/table';
import { numberText, shareText } from '../../parts/time';
import { w } from '../../words';
import { broadcastWinner, figuresQuery, type Broadcast } from './query';

export function Figures({ broadcast, may }: { broadcast: Broadcast; may: boolean }) {
	const { counts } = broadcast;
	const figures = useQuery(figuresQuery(broadcast, 'broadcast')).data?.[0];
	const done = counts.recipients - counts.pending;
	const parts: [string, number, number?][] = [
		[w.broadcasts.recipients, counts.recipients],
		[w.broadcasts.sent, counts.sent, counts.recipients],
		[w.figure.delivered, figures?.delivered ?? 0, counts.sent],
		[w.figure.opened, figures?.opened_people ?? 0, counts.sent],
		[w.figure.clicked, figures?.clicked_people ?? 0, counts.sent],
		[w.figure.bounced, figures?.bounced ?? 0, counts.sent],
		[w.figure.complained, figures?.complained ?? 0, counts.sent],
		[w.figure.unsubscribed, figures?.unsubscribed ?? 0, counts.sent],
		...rest(counts),
	];
	return (
		<section className="section" aria-label={w.broadcasts.figures}>
			{counts.pending > 0 && (
				<label className="progress">
					<span>{w.broadcasts.progress(numberText(done), numberText(counts.recipients))}</span>
					<progress value={done} max={counts.recipients} />
				</label>
			)}
			<dl className="card cards">
				{parts.map(([name, value, of]) => (
					<div className="figure" key={name}>
						<dt>{name}</dt>
						<dd>
							{numberText(value)}
							{of !== undefined && <small>{shareText(value, of)}</small>}
						</dd>
					</div>
				))}
			</dl>
			{broadcast.variants.length > 0 && <VariantTable broadcast={broadcast} may={may} />}
		</section>
	);
}

/** The counts that most broadcasts do not need. */
const rest = (counts: Broadcast['counts']) =>
	(['pending', 'excluded', 'skipped', 'failed', 'cancelled'] as const).flatMap((name): [string, number][] => (counts[name] ? [[w.broadcasts.counts[name], counts[name]]] : []));

function VariantTable({ broadcast, may }: { broadcast: Broadcast; may: boolean }) {
	const { id, status, winner, variants } = broadcast;
	const rows = useQuery(figuresQuery(broadcast, 'variant')).data ?? [];
	const choose = changeUse((variant: number) => broadcastWinner(id, variant), { touches: [['broadcast', id]], done: w.broadcasts.winnerDone });
	const of = (index: number) => rows.find(({ key }) => key === String(index));
	return (
		<Table
			label={w.broadcasts.variants}
			rows={variants.map((_, index) => index)}
			id={String}
			columns={[
				{
					name: w.broadcasts.variant,
					cell: (index) => (
						<>
							{w.broadcasts.variantNumber(index + 1)} {winner === index && <Badge tone="good">{w.broadcasts.won}</Badge>}
						</>
					),
				},
				{ name: w.broadcasts.subject, minor: true, cell: (index) => variants[index].subject ?? broadcast.subject },
				{ name: w.broadcasts.sent, cell: (index) => numberText(of(index)?.sent ?? 0) },
				{ name: w.figure.opened, cell: (index) => shareText(of(index)?.opened_people ?? 0, of(index)?.sent ?? 0) },
				{ name: w.figure.clicked, cell: (index) => shareText(of(index)?.clicked_people ?? 0, of(index)?.sent ?? 0) },
				{
					name: w.broadcasts.choose,
					actions: true,
					cell: (index) =>
						may && status === 'testing' && (
							<Button look="quiet" busy={choose.isPending} onClick={() => choose.mutate(index)}>
								{w.broadcasts.choose}
							</Button>
						),
				},
			]}
		/>
	);
}
