// SPDX-License-Identifier: MIT
// The draft as it is being written: its variables as they stand there, or filled in for a person.
import { useQuery } from '@tanstack/react-query';
import { settledUse } from '../../api/settled';
import { MailFrame } from '../../parts/mail-frame';
import { Seen, SeerField, seerUse, type Seer } from '../../parts/seen';
import { Ready } from '../../parts/state';
import { Tabs } from '../../parts/tabs';
import { w } from '../../words';
import { asBroadcast, renderedQuery, templateHtmlQuery, type Broadcast, type BroadcastBody } from './query';

interface Props {
	broadcast: Broadcast;
	/** What is written and not saved yet. */
	draft?: BroadcastBody | null;
	may: boolean;
}

export function Preview({ broadcast, draft = null, may }: Props) {
	const contents = contentsOf(settledUse(asBroadcast(broadcast, draft)));
	const by = seerUse();
	return (
		<section className="section" aria-label={w.broadcasts.preview}>
			<h2>{w.broadcasts.preview}</h2>
			{may && <SeerField of={by} />}
			<Tabs
				label={w.broadcasts.preview}
				tabs={contents.map((content) => ({ id: content.name, name: content.name, content: by.seer && may ? <AsSeen key={by.seer.id} person={by.seer} of={content} /> : <Content of={content} /> }))}
			/>
			{draft && <p className="help">{w.templates.unsaved}</p>}
		</section>
	);
}

/** A content as a person will see it. `note` stands behind the subject. */
export function AsSeen({ person, of, note }: { person: Seer; of: Content; note?: string }) {
	const rendered = useQuery(renderedQuery(of, person));
	return <Ready of={rendered}>{(rendered) => <Seen of={rendered} note={note} />}</Ready>;
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
