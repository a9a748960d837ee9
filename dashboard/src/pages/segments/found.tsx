// SPDX-License-Identifier: MIT
// How many people rules find, counted as they are built.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { Failed } from '../../parts/state';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import { countQuery, previewQuery } from './query';
import type { Group } from './rule';

/** The count of rules that are not stored yet; a fault has the service's own sentence, which names the rule. */
export function Found({ rules, waits }: { rules: Group; waits: boolean }) {
	const found = useQuery(previewQuery(rules));
	const busy = waits || found.isFetching;
	return (
		<section className="card found" aria-label={w.segments.found} aria-busy={busy}>
			<h2>{w.segments.found}</h2>
			{found.error ? (
				<p className="error" role="alert">
					{found.error.message}
				</p>
			) : (
				<>
					<Figures of={found.data ?? uncounted} />
					{found.data && <Some of={found.data} />}
				</>
			)}
		</section>
	);
}

function Some({ of: { people, count, more } }: { of: Schemas['SegmentPreview'] }) {
	return (
		<>
			<ul className="plain-list">
				{people.map(({ id, email }) => (
					<li key={id}>
						<Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link>
					</li>
				))}
			</ul>
			{more && <p className="soft">{w.segments.uncounted}</p>}
			{(count ?? 0) > people.length && <p className="soft">{w.segments.firstOf(people.length)}</p>}
		</>
	);
}

/** The count of a stored segment. */
export function Counted({ id }: { id: string }) {
	const count = useQuery(countQuery(id));
	return (
		<section className="card" aria-label={w.segments.found} aria-busy={count.isPending}>
			<h2>{w.segments.found}</h2>
			{count.error ? <Failed why={count.error} again={() => void count.refetch()} /> : <Figures of={count.data ?? uncounted} />}
		</section>
	);
}

const uncounted = { count: null, reachable: null };

/** A number is null before it is counted, and where that took too long. */
function Figures({ of: { count, reachable } }: { of: Pick<Schemas['SegmentPreview'], 'count' | 'reachable'> }) {
	return (
		<dl className="cards">
			<div className="figure">
				<dt>{w.segments.people}</dt>
				<dd>{count === null ? '–' : numberText(count)}</dd>
			</div>
			<div className="figure">
				<dt>{w.segments.reachable}</dt>
				<dd>{reachable === null ? '–' : numberText(reachable)}</dd>
			</div>
		</dl>
	);
}
