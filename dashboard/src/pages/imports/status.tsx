// SPDX-License-Identifier: MIT
// How far an import is, and whether it stores anything.
import { Badge, type Tone } from '../../parts/badge';
import { w } from '../../words';
import type { Import } from './query';

const tones: Record<Import['status'], Tone> = { pending: 'calm', running: 'info', done: 'good', failed: 'bad' };

export function Status({ of: { status, dry_run } }: { of: Pick<Import, 'status' | 'dry_run'> }) {
	return (
		<>
			<Badge tone={tones[status]}>{w.imports.states[status]}</Badge> {dry_run && <Badge>{w.imports.trial}</Badge>}
		</>
	);
}
