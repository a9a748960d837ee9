// SPDX-License-Identifier: MIT
// The states that are not the thing itself: it is coming, there is none, it failed.
import type { ReactNode } from 'react';
import { w } from '../words';
import { Button } from './button';

/** Where it has failed, and is tried again, the page does not wait for it. */
export function Loading({ of }: { of?: Pick<Asked<unknown>, 'failureCount'> }) {
	return (
		<div className="loading" role="status" data-late={of?.failureCount ? true : undefined}>
			<span className="hidden">{w.state.loading}</span>
			<i />
			<i />
			<i />
		</div>
	);
}

export function Empty({ title, children }: { title: string; children?: ReactNode }) {
	return (
		<div className="empty">
			<p className="empty-title">{title}</p>
			{children}
		</div>
	);
}

export function Failed({ why, again }: { why: Error; again?: () => void }) {
	return (
		<div className="failed" role="alert">
			<p>
				<strong>{w.state.failed}</strong> {why.message}
			</p>
			{again && <Button onClick={again}>{w.do.again}</Button>}
		</div>
	);
}

interface Asked<T> {
	data: T | undefined;
	error: Error | null;
	isPending: boolean;
	failureCount: number;
	refetch: () => unknown;
}

/** The thing once it is there. */
export function Ready<T>({ of, children }: { of: Asked<T>; children: (data: T) => ReactNode }) {
	if (of.isPending) return <Loading of={of} />;
	if (of.data === undefined) return <Failed why={of.error ?? new Error('')} again={() => void of.refetch()} />;
	return <>{children(of.data)}</>;
}
