// SPDX-License-Identifier: MIT
import * as Radix from '@radix-ui/react-tabs';
import type { ReactNode } from 'react';

export function Tabs({ label, tabs }: { label: string; tabs: { id: string; name: string; content: ReactNode }[] }) {
	return (
		<Radix.Root className="tabs" defaultValue={tabs[0]?.id}>
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
