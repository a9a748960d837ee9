// SPDX-License-Identifier: MIT
import type { Schemas } from '../../api/client';
import { Badge, type Tone } from '../../parts/badge';
import { w } from '../../words';

const tones: Record<Schemas['DomainStatus'], Tone> = { NOT_STARTED: 'warn', PENDING: 'warn', SUCCESS: 'good', FAILED: 'bad', TEMPORARY_FAILURE: 'bad' };

export function DomainStatus({ of }: { of: Schemas['DomainStatus'] }) {
	return <Badge tone={tones[of]}>{w.domains[of]}</Badge>;
}
