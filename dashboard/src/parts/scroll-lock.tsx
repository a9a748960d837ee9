// SPDX-License-Identifier: MIT
// Stands for the package react-remove-scroll, which Radix uses: base.css keeps the page still behind a dialog.
import type { ElementType, ReactNode } from 'react';

export function RemoveScroll({ as: As, children }: { as?: ElementType; children: ReactNode }) {
	return As ? <As>{children}</As> : <>{children}</>;
}
