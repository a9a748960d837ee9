// SPDX-License-Identifier: MIT
import { useEffect, useMemo, useState } from 'react';

/** A value once it has not changed for a moment, so that not each key asks the service. */
export function settledUse<T>(value: T): T {
	const text = JSON.stringify(value);
	const [settled, setSettled] = useState(text);
	useEffect(() => {
		const timer = setTimeout(() => setSettled(text), 250);
		return () => clearTimeout(timer);
	}, [text]);
	return useMemo(() => JSON.parse(settled) as T, [settled]);
}
