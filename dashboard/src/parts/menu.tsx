// SPDX-License-Identifier: MIT
// A menu under a button.
import * as Radix from '@radix-ui/react-dropdown-menu';
import type { ReactNode } from 'react';

export interface MenuEntry {
	name: string;
	chosen?: boolean;
	act: () => void;
}

export function Menu({ button, parts }: { button: ReactNode; parts: { title?: string; entries: MenuEntry[] }[] }) {
	return (
		<Radix.Root modal={false}>
			<Radix.Trigger asChild>{button}</Radix.Trigger>
			<Radix.Portal>
				<Radix.Content className="menu" align="start" sideOffset={4}>
					{parts.map(({ title, entries }, index) => (
						<Radix.Group key={index} className="menu-part">
							{title && <Radix.Label className="menu-title">{title}</Radix.Label>}
							{entries.map(({ name, chosen, act }) => (
								<Radix.Item key={name} className="menu-entry" onSelect={act}>
									<span>{name}</span>
									{chosen && <span aria-hidden="true">✓</span>}
								</Radix.Item>
							))}
						</Radix.Group>
					))}
				</Radix.Content>
			</Radix.Portal>
		</Radix.Root>
	);
}
