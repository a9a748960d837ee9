// SPDX-License-Identifier: MIT
// The parts of a page come together: what stands below its head is not seen until nothing is asked for any more, so that no part
// pushes another one down the page.
import { useQueryClient, type Query, type QueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type ReactNode } from 'react';
import { w } from '../words';

/** After so many ms it is seen as it is. */
const longest = 5_000;

declare module '@tanstack/react-query' {
	interface Register {
		/** `late`: the answer may take long, and there is room for it. The page does not wait. */
		queryMeta: { late?: boolean };
	}
}

export function Together({ children }: { children: ReactNode }) {
	const data = useQueryClient();
	const place = useRef<HTMLDivElement>(null);
	const [isComing, setComing] = useState(true);
	useEffect(() => {
		if (!isComing) return;
		const end = performance.now() + longest;
		let frame = 0;
		// What was read already is there at once.
		let quiet = enough - 1;
		const look = () => {
			quiet = isQuiet(data, place.current) ? quiet + 1 : 0;
			if (quiet >= enough || performance.now() > end || !navigator.onLine) setComing(false);
			else frame = requestAnimationFrame(look);
		};
		look();
		return () => cancelAnimationFrame(frame);
	}, [isComing, data]);
	return (
		<div ref={place} className={isComing ? 'page coming' : 'page'}>
			{children}
			{isComing && (
				<p className="waits" role="status">
					<span className="hidden">{w.state.loading}</span>
				</p>
			)}
		</div>
	);
}

/** For so many frames nothing is asked for: an answer may bring parts that ask for more. */
const enough = 3;

/** Those of the page that was left are not active, and those that are paused do not fetch. */
const isQuiet = (data: QueryClient, place: HTMLElement | null) => place && !data.isFetching({ type: 'active', predicate: isAwaited }) && !place.querySelector('.loading:not([data-late], [data-late] *)');

/** What has failed is tried again, which takes a while. */
const isAwaited = ({ state, meta }: Query) => state.status === 'pending' && !state.fetchFailureCount && !meta?.late;
