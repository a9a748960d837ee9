// SPDX-License-Identifier: MIT
// The draft as it is stored, with its variables as they are written.
import { useQuery } from '@tanstack/react-query';
import { MailFrame } from '../../parts/mail-frame';
import { Tabs } from '../../parts/tabs';
import { w } from '../../words';
import { templateHtmlQuery, type Broadcast } from './query';

export function Preview({ broadcast }: { broadcast: Broadcast }) {
	const contents = contentsOf(broadcast);
	return (
		<section className="section" aria-label={w.broadcasts.preview}>
			<h2>{w.broadcasts.preview}</h2>
			<Tabs label={w.broadcasts.preview} tabs={contents.map((content) => ({ id: content.name, name: content.name, content: <Content of={content} /> }))} />
			{broadcast.status === 'draft' && <p className="help">{w.broadcasts.previewHelp}</p>}
		</section>
	);
}

export interface Content {
	name: string;
	subject: string | null;
	preview_text: string | null;
	html: string | null;
	template_id: string | null;
}

/** The contents that recipients get: those of the variants, or the one there is. */
export function contentsOf({ subject, preview_text, html, template_id, variants }: Broadcast): Content[] {
	const own = { name: w.broadcasts.content, subject, preview_text: preview_text ?? null, html: html ?? null, template_id };
	if (!variants.length) return [own];
	return variants.map((variant, index) => ({
		name: w.broadcasts.variantNumber(index + 1),
		subject: variant.subject ?? subject,
		preview_text: preview_text ?? null,
		html: variant.template_id ? null : (variant.html ?? own.html),
		template_id: variant.template_id ?? (variant.html ? null : template_id),
	}));
}

export function Content({ of: { subject, preview_text, html, template_id }, decorate }: { of: Content; decorate?: (body: HTMLElement) => void }) {
	const template = useQuery(templateHtmlQuery(template_id)).data;
	return (
		<>
			<p>
				<strong>{subject ?? template?.subject ?? w.emails.noSubject}</strong> <span className="soft">{preview_text ?? template?.preview_text}</span>
			</p>
			<MailFrame html={template?.html ?? html ?? ''} decorate={decorate} />
		</>
	);
}
