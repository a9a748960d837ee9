// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-tabs';
import { useState, type ReactNode } from 'react';

/** The one that was chosen is shown, and the first one where that is gone. */
export function Tabs({ label, tabs }: { label: string; tabs: { id: string; name: string; content: ReactNode }[] }) {
	const [chosen, choose] = useState<string>();
	const shown = tabs.find(({ id }) => id === chosen) ?? tabs[0];
	return (
		<Radix.Root className="tabs" value={shown?.id ?? ''} onValueChange={choose}>
			<Radix.List className="tab-list" aria-label={label}>
				{tabs.map(({ id, name }) => (
					<Radix.Trigger key={id} value={id} className="tab">
						{name}
					</Radix.Trigger>
				))}
			</Radix.List>
			{tabs.map(({ id, content }) => (
				<Radix.Content key={id} value={id} className="tab-content">
					{content}
				</Radix.Content>
			))}
		</Radix.Root>
	);
}
