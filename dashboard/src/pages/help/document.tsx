// SPDX-License-Identifier: MIT
// One document of the manual. Its html is made of our own text when the dashboard is built.
import { useQuery } from '@tanstack/react-query';
import { useEffect, useRef, type MouseEvent } from 'react';
import { useLocation } from 'wouter';
import { Head } from '../../parts/head';
import { documents, type DocumentName } from '../../parts/help';
import { Ready } from '../../parts/state';
import { languageNow, w } from '../../words';

const load: Record<DocumentName, () => Promise<{ default: { html: string } }>> = {
	dashboard: () => import('help:dashboard'),
	templates: () => import('help:templates'),
	broadcasts: () => import('help:broadcasts'),
	workflow: () => import('help:workflow'),
	relays: () => import('help:relays'),
};

const isKnown = (name: string): name is DocumentName => documents.includes(name as DocumentName);

export default function Document({ params: { name } }: { params: Record<string, string> }) {
	const document = useQuery({ queryKey: ['help', name], staleTime: Infinity, queryFn: async () => (isKnown(name) ? (await load[name]()).default.html : '') });
	if (!isKnown(name))
		return (
			<>
				<Head title={w.state.notFound} back={{ to: '/help', name: w.help.name }} />
				<p>{w.state.notFoundText}</p>
			</>
		);
	return (
		<>
			<Head title={w.help.titles[name]} text={languageNow() === 'en' ? undefined : w.help.english} back={{ to: '/help', name: w.help.name }} />
			<Ready of={document}>{(html) => <Text key={name} html={html} />}</Ready>
		</>
	);
}

function Text({ html }: { html: string }) {
	const [, go] = useLocation();
	const text = useRef<HTMLElement>(null);
	useEffect(() => {
		const section = location.hash && text.current?.querySelector(`#${CSS.escape(location.hash.slice(1))}`);
		if (section) section.scrollIntoView();
	}, []);
	// Links within the manual are pages of the dashboard.
	const follow = (event: MouseEvent) => {
		const link = (event.target as Element).closest('a');
		const to = link?.getAttribute('href')?.replace(/^\/dashboard/, '');
		if (!to || event.ctrlKey || event.metaKey || event.shiftKey) return;
		event.preventDefault();
		go(to);
	};
	return <article ref={text} className="manual" lang="en" onClick={follow} dangerouslySetInnerHTML={{ __html: html }} />;
}
