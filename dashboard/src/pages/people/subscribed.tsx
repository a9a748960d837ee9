// SPDX-License-Identifier: MIT
// Whether mailings reach a person.
import type { Schemas } from '../../api/client';
import { Badge } from '../../parts/badge';
import { w } from '../../words';

export function Subscribed({ of: { subscribed, suppressed } }: { of: Pick<Schemas['PersonRow'], 'subscribed' | 'suppressed'> }) {
	if (suppressed && suppressed.reason !== 'unsubscribed') return <Badge tone="bad">{w.suppressions[suppressed.reason]}</Badge>;
	return subscribed ? <Badge tone="good">{w.people.subscribed}</Badge> : <Badge tone="warn">{w.people.unsubscribed}</Badge>;
}
