// SPDX-License-Identifier: MIT
// Which links were clicked, on the preview and as a table.
import { useQuery } from '@tanstack/react-query';
import { useCallback } from 'react';
import { Empty } from '../../parts/state';
import { Table } from '../../parts/table';
import { Tabs } from '../../parts/tabs';
import { numberText, shareText } from '../../parts/time';
import { w } from '../../words';
import { Content, contentsOf } from './preview';
import { figuresQuery, type Broadcast } from './query';

interface Link {
	url: string;
	people: number;
	clicks: number;
}

export function Heat({ broadcast }: { broadcast: Broadcast }) {
	const rows = useQuery({ ...figuresQuery(broadcast, 'link'), enabled: broadcast.started_at !== null }).data ?? [];
	const links: Link[] = rows.map((row) => ({ url: row.key ?? '', people: row.clicked_people, clicks: row.clicked })).sort((a, b) => b.people - a.people || b.clicks - a.clicks);
	const all = links.reduce((sum, { people }) => sum + people, 0);
	const key = JSON.stringify(links);
	const decorate = useCallback((body: HTMLElement) => warm(body, JSON.parse(key) as Link[]), [key]);
	return (
		<section className="section" aria-label={w.broadcasts.heat}>
			<h2>{w.broadcasts.heat}</h2>
			<Tabs
				label={w.broadcasts.heat}
				tabs={[
					...contentsOf(broadcast).map((content) => ({ id: content.name, name: content.name, content: <Content of={content} decorate={decorate} /> })),
					{
						id: 'links',
						name: w.broadcasts.links,
						content: links.length ? (
							<Table
								label={w.broadcasts.links}
								rows={links}
								id={({ url }) => url}
								columns={[
									{ name: w.broadcasts.link, cell: ({ url }) => url },
									{ name: w.broadcasts.clickers, cell: ({ people }) => `${numberText(people)} (${shareText(people, all)})` },
									{ name: w.broadcasts.clicks, minor: true, cell: ({ clicks }) => numberText(clicks) },
								]}
							/>
						) : (
							<Empty title={w.broadcasts.noLinks} />
						),
					},
				]}
			/>
		</section>
	);
}

/** A link without what is put to it when it is sent, to find it again in the html. */
function bare(url: string) {
	try {
		const parsed = new URL(url);
		for (const name of [...parsed.searchParams.keys()]) if (name.startsWith('utm_')) parsed.searchParams.delete(name);
		return parsed.href;
	} catch {
		return url;
	}
}

/** Colours each link by its share of the clicks, and writes the number behind it. */
function warm(body: HTMLElement, links: Link[]) {
	const people = new Map<string, number>();
	for (const { url, people: more } of links) people.set(bare(url), (people.get(bare(url)) ?? 0) + more);
	const most = Math.max(1, ...people.values());
	for (const link of body.querySelectorAll<HTMLAnchorElement>('a[href]')) {
		const count = people.get(bare(link.getAttribute('href')!));
		if (count === undefined) continue;
		link.style.outline = '2px solid rgb(196 84 0)';
		link.style.backgroundColor = `rgb(255 140 0 / ${Math.round((count / most) * 60)}%)`;
		const badge = body.ownerDocument.createElement('span');
		badge.textContent = numberText(count);
		badge.className = 'posthouse-heat';
		badge.style.cssText = 'font: 600 11px/16px sans-serif; color: #fff; background: rgb(150 62 0); border-radius: 8px; padding: 0 6px; margin-left: 4px; display: inline-block';
		link.after(badge);
	}
}
