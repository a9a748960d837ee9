// SPDX-License-Identifier: MIT
// How many people rules find, counted as they are built.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import type { Schemas } from '../../api/client';
import { Ready } from '../../parts/state';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import { countQuery, previewQuery } from './query';
import type { Group } from './rule';

/** The count of rules that are not stored yet; a fault has the service's own sentence, which names the rule. */
export function Found({ rules, waits }: { rules: Group; waits: boolean }) {
	const found = useQuery(previewQuery(rules));
	const busy = waits || found.isFetching;
	return (
		<section className="card" aria-label={w.segments.found} aria-busy={busy}>
			<h2>{w.segments.found}</h2>
			{found.error ? (
				<p className="error" role="alert">
					{found.error.message}
				</p>
			) : (
				found.data && (
					<>
						<Figures of={found.data} />
						<ul className="plain-list">
							{found.data.people.map(({ id, email }) => (
								<li key={id}>
									<Link to={`/people/${encodeURIComponent(email)}`}>{email}</Link>
								</li>
							))}
						</ul>
						{found.data.more && <p className="soft">{w.segments.uncounted}</p>}
						{(found.data.count ?? 0) > found.data.people.length && <p className="soft">{w.segments.firstOf(found.data.people.length)}</p>}
					</>
				)
			)}
		</section>
	);
}

/** The count of a stored segment. */
export function Counted({ id }: { id: string }) {
	const count = useQuery(countQuery(id));
	return (
		<section className="card" aria-label={w.segments.found}>
			<h2>{w.segments.found}</h2>
			<Ready of={count}>{(count) => <Figures of={count} />}</Ready>
		</section>
	);
}

/** A number is null where counting took too long. */
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
