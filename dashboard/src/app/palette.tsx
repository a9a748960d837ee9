// SPDX-License-Identifier: MIT
// The command palette (Ctrl K): any page, any email or person by what the reader types.
import { Command } from 'cmdk';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { sessionUse } from '../api/session';
import { Dialog } from '../parts/dialog';
import { documents } from '../parts/help';
import { Icon } from '../parts/icon';
import { w } from '../words';
import { pages } from './page';

export function Palette({ open, onOpenChange }: { open: boolean; onOpenChange: (open: boolean) => void }) {
	const { role } = sessionUse();
	const [, go] = useLocation();
	const [text, setText] = useState('');
	const opens = (to: string) => () => {
		onOpenChange(false);
		setText('');
		go(to);
	};
	const words = text.trim();
	return (
		<Dialog title={w.palette.title} open={open} onOpenChange={onOpenChange}>
			<Command label={w.palette.title} className="palette">
				<Command.Input value={text} onValueChange={setText} placeholder={w.palette.hint} />
				<Command.List label={w.palette.found}>
					<Command.Empty>{w.palette.nothing}</Command.Empty>
					<Command.Group heading={w.palette.pages}>
						{pages
							.filter((page) => page.place && page.allowed?.(role) !== false)
							.map(({ path, place }) => (
								<Command.Item key={path} value={place!.name()} onSelect={opens(path)}>
									<Icon name={place!.icon} />
									{place!.name()}
								</Command.Item>
							))}
					</Command.Group>
					<Command.Group heading={w.help.name}>
						{documents.map((name) => (
							<Command.Item key={name} value={`${w.help.name}: ${w.help.titles[name]}`} onSelect={opens(`/help/${name}`)}>
								<Icon name="help" />
								{w.help.titles[name]}
							</Command.Item>
						))}
					</Command.Group>
					{words.includes('@') && (
						<Command.Item value={`${words} emails`} onSelect={opens(`/emails?to=${encodeURIComponent(words)}`)}>
							<Icon name="email" />
							{w.palette.emailsTo(words)}
						</Command.Item>
					)}
					{/^[0-9a-f-]{36}$/.test(words) && (
						<Command.Item value={words} onSelect={opens(`/emails/${words}`)}>
							<Icon name="email" />
							{w.palette.email(words)}
						</Command.Item>
					)}
				</Command.List>
			</Command>
		</Dialog>
	);
}
