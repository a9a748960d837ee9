// SPDX-License-Identifier: MIT
// An address with ?new asks a page for a new thing of its kind.
import { useEffect } from 'react';
import { useSearchParams } from 'wouter';

/** Runs `make` once where the address asks for a new thing, and takes that out of the address. */
export function newUse(make: (() => void) | undefined) {
	const [search, setSearch] = useSearchParams();
	const isAsked = make !== undefined && search.has('new');
	useEffect(() => {
		if (!isAsked) return;
		setSearch(
			(now) => {
				now.delete('new');
				return now;
			},
			{ replace: true },
		);
		make!();
	}, [isAsked]);
}
