// SPDX-License-Identifier: MIT
// The command palette (Ctrl K): any page, any email or person by what the reader types.
import { useQuery } from '@tanstack/react-query';
import { Command } from 'cmdk';
import { useState } from 'react';
import { useLocation } from 'wouter';
import { choicesUse } from '../api/choices';
import { api, taken } from '../api/client';
import { domainsQuery } from '../api/domains';
import { sessionUse } from '../api/session';
import { settledUse } from '../api/settled';
import { Dialog } from '../parts/dialog';
import { documents } from '../parts/help';
import { Icon } from '../parts/icon';
import { idnText } from '../parts/idn';
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
	const { people, emails } = foundUse(words);
	return (
		<Dialog title={w.palette.title} open={open} onOpenChange={onOpenChange}>
			<Command label={w.palette.title} className="palette" filter={fits}>
				<Command.Input value={text} onValueChange={setText} placeholder={w.palette.hint} />
				<Command.List label={w.palette.found}>
					<Command.Empty>
						{/* A listbox has an option at least. */}
						<div role="option" aria-disabled="true" aria-selected="false">
							{w.palette.nothing}
						</div>
					</Command.Empty>
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
					{role !== 'viewer' && (
						<Command.Group heading={w.palette.makes}>
							{pages
								.filter(({ makes, allowed }) => makes && allowed?.(role) !== false)
								.map(({ path, makes, place }) => (
									<Command.Item key={path} value={makes!.name()} onSelect={opens(makes!.path ?? `${path}?new`)}>
										<Icon name={place?.icon ?? 'people'} />
										{makes!.name()}
									</Command.Item>
								))}
						</Command.Group>
					)}
					{words.length >= least && <Things onOpen={opens} />}
					{people.length > 0 && (
						<Command.Group heading={w.people.name}>
							{people.map(({ email, first_name, last_name }) => (
								<Command.Item key={email} value={`person ${email}`} keywords={[words]} onSelect={opens(`/people/${encodeURIComponent(email)}`)}>
									<Icon name="people" />
									{email} <span className="soft">{[first_name, last_name].filter(Boolean).join(' ')}</span>
								</Command.Item>
							))}
						</Command.Group>
					)}
					{emails.length > 0 && (
						<Command.Group heading={w.emails.name}>
							{emails.map(({ id, to, subject }) => (
								<Command.Item key={id} value={`email ${id}`} keywords={[words]} onSelect={opens(`/emails/${id}`)}>
									<Icon name="email" />
									{to[0]} <span className="soft">{subject || w.emails.noSubject}</span>
								</Command.Item>
							))}
							<Command.Item value="emails all" keywords={[words]} onSelect={opens(`/emails?search=${encodeURIComponent(words)}`)}>
								<Icon name="search" />
								{w.palette.emailsFound(words)}
							</Command.Item>
						</Command.Group>
					)}
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

/** Whether a thing has all words of a search in its name, those that begin with it first; or has it in its id. */
function fits(value: string, search: string, keywords: string[] = []) {
	const sought = search.trim().toLowerCase();
	const name = (keywords.length ? keywords.join(' ') : value).toLowerCase();
	if (sought.split(/\s+/).every((word) => name.includes(word))) return name.startsWith(sought) ? 1 : 0.5;
	return /^[0-9a-f-]{8,}$/.test(sought) && value.includes(sought) ? 0.5 : 0;
}

/** Things by their names, of the first pages of their lists. */
function Things({ onOpen }: { onOpen: (to: string) => () => void }) {
	const workflows = useQuery({
		queryKey: ['workflows', 'palette'],
		queryFn: async () => (await taken(api.GET('/v1/workflows'))).workflows.map(({ workflow_id: id, name }) => ({ id, name })),
	}).data;
	const domains = useQuery({ ...domainsQuery, refetchInterval: false }).data;
	const kinds = [
		{ path: 'broadcasts', icon: 'broadcast', name: w.broadcasts.name, rows: choicesUse('broadcasts') },
		{ path: 'templates', icon: 'template', name: w.templates.name, rows: choicesUse('templates') },
		{ path: 'workflows', icon: 'workflow', name: w.workflows.name, rows: workflows ?? [] },
		{ path: 'segments', icon: 'segment', name: w.segments.name, rows: choicesUse('segments') },
		{ path: 'audiences', icon: 'audience', name: w.audiences.name, rows: choicesUse('audiences') },
		{ path: 'domains', icon: 'domain', name: w.domains.name, rows: (domains ?? []).map(({ id, name }) => ({ id, name: idnText(name) })) },
	];
	return kinds.map(
		({ path, icon, name, rows }) =>
			rows.length > 0 && (
				<Command.Group key={path} heading={name}>
					{rows.map((row) => (
						<Command.Item key={row.id} value={`${path} ${row.id}`} keywords={[row.name]} onSelect={onOpen(`/${path}/${encodeURIComponent(row.id)}`)}>
							<Icon name={icon} />
							{row.name}
						</Command.Item>
					))}
				</Command.Group>
			),
	);
}

const least = 2;
const most = 100;
const some = 5;

/** People and emails that begin with these words, a few of each. */
function foundUse(words: string) {
	const search = settledUse(words);
	const asks = { enabled: search.length >= least && search.length <= most, retry: false };
	const people = useQuery({
		...asks,
		queryKey: ['people', 'palette', search],
		queryFn: async () => (await taken(api.GET('/v1/people', { params: { query: { search } } }))).people.slice(0, some),
	});
	const emails = useQuery({
		...asks,
		queryKey: ['emails', 'palette', search],
		queryFn: async () => (await taken(api.GET('/v1/emails', { params: { query: { search } } }))).emails.slice(0, some),
	});
	// Finds for other words are not shown.
	return words === search ? { people: people.data ?? [], emails: emails.data ?? [] } : { people: [], emails: [] };
}
