// SPDX-License-Identifier: MIT
// A state in one word, with the colour of how good it is.
import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'warn' | 'calm' | 'info';

export function Badge({ tone = 'calm', children }: { tone?: Tone; children: ReactNode }) {
	return <span className={`badge ${tone}`}>{children}</span>;
}
