// SPDX-License-Identifier: MIT
// Writes a draft: who sends, what is said, to whom, and the variants that are tried.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useCallback, useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { choicesUse, propertiesQuery } from '../../api/choices';
import { draftUse } from '../../api/draft';
import { changeUse } from '../../api/list';
import { isOvertaken, versionUse } from '../../api/version';
import { Button } from '../../parts/button';
import { CodeField } from '../../parts/code-field';
import { Conflict, differencesOf } from '../../parts/conflict';
import { DraftFound } from '../../parts/draft-found';
import { CheckList, Choice, Field, said, TextField } from '../../parts/field';
import { unsavedUse } from '../../parts/unsaved';
import { w } from '../../words';
import { asAttachments, Attachments, isOfAttachments, type Attachment } from './attachments';
import { asBroadcast, broadcastChange, broadcastNow, broadcastQuery, type Broadcast, type BroadcastBody } from './query';
import { asVariants, Variants, type Variant } from './variants';

const utmNames = ['source', 'medium', 'campaign', 'term', 'content'] as const;

/** Saves what is written, where it is not saved yet: what leaves is what stands on the screen. */
export type Saver = () => Promise<unknown>;

interface Props {
	broadcast: Broadcast;
	may: boolean;
	saver: RefObject<Saver | null>;
	/** Hears what is written and not saved yet. */
	onDraft: (body: BroadcastBody | null) => void;
}

export function Compose(props: Props) {
	const [begun, setBegun] = useState({ round: 0, broadcast: props.broadcast, dirty: false });
	// The fields begin anew with what is taken in their place.
	const take = (broadcast: Broadcast, dirty: boolean) => setBegun({ round: begun.round + 1, broadcast, dirty });
	return <Draft key={begun.round} {...props} broadcast={begun.broadcast} begunDirty={begun.dirty} onTake={take} />;
}

function Draft({ broadcast, may, saver, begunDirty, onTake, onDraft }: Props & { begunDirty: boolean; onTake: (broadcast: Broadcast, dirty: boolean) => void }) {
	const { id } = broadcast;
	const version = versionUse(`/v1/broadcasts/${id}`);
	const [theirs, setTheirs] = useState<{ mine: BroadcastBody; theirs: Broadcast } | null>(null);
	const data = useQueryClient();
	const form = useRef<HTMLFormElement>(null);
	const edits = useRef(0);
	const [edited, setEdited] = useState(0);
	const [dirty, setDirty] = useState(begunDirty);
	const edit = useCallback(() => {
		setEdited(++edits.current);
		setDirty(true);
	}, []);
	const [variants, setVariants] = useState<Variant[]>(broadcast.variants);
	const [attachments, setAttachments] = useState<Attachment[]>(broadcast.attachments);
	const [fault, setFault] = useState<string | null>(null);
	const save = changeUse(async (body: BroadcastBody) => broadcastChange(id, { ...body, attachments: await asAttachments(attachments) }, version.headers()), {
		touches: [['broadcasts']],
		done: w.broadcasts.saved,
		then: (stored) => {
			data.setQueryData(broadcastQuery(id).queryKey, stored);
			// Files that are stored now have ids, by which they stay.
			setAttachments(stored.attachments);
		},
	});
	const keep = async () => {
		setFault(null);
		if (!form.current!.reportValidity()) throw new Error(w.unsaved.invalid);
		const seen = edits.current;
		const body = bodyOf(new FormData(form.current!), variants);
		try {
			await save.mutateAsync(body);
		} catch (why) {
			if (isOvertaken(why)) setTheirs({ mine: body, theirs: await broadcastNow(id) });
			throw why;
		}
		version.renew();
		if (seen === edits.current) setDirty(false);
	};
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		void keep().catch(() => {});
	};
	unsavedUse(may && dirty, keep);
	const kept = draftUse<BroadcastBody>('broadcast', id, { dirty, edit: edited, read: () => bodyOf(new FormData(form.current!), variants) });
	useEffect(() => {
		saver.current = () => (dirty ? keep() : Promise.resolve());
		return () => void (saver.current = null);
	});
	useEffect(() => onDraft(dirty ? bodyOf(new FormData(form.current!), variants) : null), [dirty, edited, variants, onDraft]);
	const refused = save.error && isOfAttachments(save.error) ? save.error.message : null;
	const attach = (all: Attachment[], why: string | null) => {
		save.reset();
		setAttachments(all);
		setFault(why);
		edit();
	};
	return (
		<>
			{kept.kept && !dirty && <DraftFound at={kept.kept.updated} onTake={() => onTake(asBroadcast(broadcast, kept.kept!.value), true)} onDrop={kept.drop} />}
			<Conflict
				differences={theirs && differencesOf(theirs.mine, theirs.theirs, partsOf())}
				onClose={() => setTheirs(null)}
				onMine={() => {
					setTheirs(null);
					version.renew();
					void keep().catch(() => {});
				}}
				onTheirs={() => {
					data.setQueryData(broadcastQuery(id).queryKey, theirs!.theirs);
					onTake(theirs!.theirs, false);
				}}
			/>
			<form className="stack" ref={form} onSubmit={submit} onChange={edit}>
				<fieldset className="stack bare" disabled={!may}>
					<legend className="hidden">{w.broadcasts.compose}</legend>
					<Field label={w.broadcasts.broadcast} help={w.broadcasts.nameHelp} name="name" defaultValue={broadcast.name} maxLength={100} />
					<Field label={w.broadcasts.from} name="from" defaultValue={broadcast.from ?? ''} />
					<Field label={w.broadcasts.replyTo} name="reply_to" defaultValue={broadcast.reply_to.join(', ')} />
					<Field label={w.broadcasts.subject} name="subject" defaultValue={broadcast.subject ?? ''} />
					<Field label={w.broadcasts.previewText} help={w.broadcasts.previewTextHelp} name="preview_text" defaultValue={broadcast.preview_text ?? ''} maxLength={200} />
					<Content broadcast={broadcast} may={may} onEdit={edit} />
					<Attachments all={attachments} fault={fault ?? refused} may={may} onChange={attach} />
					<Audience broadcast={broadcast} />
					<Variants
						variants={variants}
						broadcast={broadcast}
						onChange={(all) => {
							setVariants(all);
							edit();
						}}
					/>
					<details>
						<summary>{w.broadcasts.utm}</summary>
						<p className="help">{w.broadcasts.utmHelp}</p>
						<div className="filters">
							{utmNames.map((name) => (
								<Field key={name} label={name} name={`utm_${name}`} defaultValue={(broadcast.utm as Record<string, string> | null)?.[name] ?? ''} />
							))}
						</div>
					</details>
					{may && (
						<div className={dirty ? 'row save' : 'row'}>
							<Button type="submit" look="main" busy={save.isPending}>
								{w.do.save}
							</Button>
							{dirty && <span className="soft">{w.unsaved.mark}</span>}
						</div>
					)}
				</fieldset>
			</form>
		</>
	);
}

/** The parts that can differ, by the names of their fields. */
export const partsOf = () => ({
	name: w.broadcasts.broadcast, from: w.broadcasts.from, subject: w.broadcasts.subject, preview_text: w.broadcasts.previewText, html: w.broadcasts.html, text: w.broadcasts.plain, template_id: w.broadcasts.template,
	audiences: w.broadcasts.audiences, segments: w.broadcasts.segments, exclude_segments: w.broadcasts.excluded, topic_id: w.broadcasts.topic,
});

function Content({ broadcast: { template_id, html, text }, may, onEdit }: { broadcast: Broadcast; may: boolean; onEdit: () => void }) {
	const [written, setWritten] = useState(html ?? firstHtml);
	const properties = useQuery(propertiesQuery).data ?? [];
	const templates = choicesUse('templates');
	const [stored, setStored] = useState(template_id !== null);
	const write = (text: string) => {
		setWritten(text);
		onEdit();
	};
	return (
		<>
			<Choice
				label={w.broadcasts.content}
				name="content"
				value={stored ? 'template' : 'html'}
				onChange={(event) => setStored(event.target.value === 'template')}
				options={[{ value: 'html', name: w.broadcasts.contentHtml }, { value: 'template', name: w.broadcasts.contentTemplate }]}
			/>
			{stored ? (
				<Choice key={templates.length} label={w.broadcasts.template} name="template_id" defaultValue={template_id ?? ''} options={templates.map(({ id, name }) => ({ value: id, name }))} />
			) : (
				<>
					<CodeField label={w.broadcasts.html} help={w.broadcasts.htmlHelp} name="html" rows={16} value={written} onChange={write} readOnly={!may} variables={[...personal, ...properties.map(({ key }) => key)]} />
					<TextField label={w.broadcasts.plain} help={w.broadcasts.plainHelp} name="text" defaultValue={text ?? ''} />
				</>
			)}
		</>
	);
}

const personal = ['email', 'first_name', 'last_name', 'unsubscribe_url'];
const firstHtml = '<p>Hello {{first_name|there}},</p>\n<p>…</p>\n<p><a href="{{unsubscribe_url}}">Unsubscribe</a></p>\n';

function Audience({ broadcast }: { broadcast: Broadcast }) {
	const topics = choicesUse('topics');
	const audiences = choicesUse('audiences');
	const segments = choicesUse('segments');
	return (
		<>
			<CheckList label={w.broadcasts.audiences} name="audiences" rows={audiences} chosen={broadcast.audiences} />
			<CheckList label={w.broadcasts.segments} name="segments" rows={segments} chosen={broadcast.segments} />
			<CheckList label={w.broadcasts.excluded} name="exclude_segments" rows={segments} chosen={broadcast.exclude_segments} />
			<Choice
				key={topics.length}
				label={w.broadcasts.topic}
				help={w.broadcasts.topicHelp}
				name="topic_id"
				defaultValue={broadcast.topic_id ?? ''}
				options={[{ value: '', name: w.broadcasts.noTopic }, ...topics.map(({ id, name }) => ({ value: id, name }))]}
			/>
		</>
	);
}

/** The fields as the API takes them: what is empty is taken away. */
function bodyOf(values: FormData, variants: Variant[]): BroadcastBody {
	const text = (name: string) => said(values, name) || null;
	const byTemplate = said(values, 'content') === 'template';
	const utm = Object.fromEntries(utmNames.flatMap((name) => (text(`utm_${name}`) ? [[name, text(`utm_${name}`)]] : [])));
	const ids = (name: string) => values.getAll(name).map(String);
	return {
		...(text('name') ? { name: text('name') } : {}),
		from: text('from'),
		reply_to: said(values, 'reply_to').split(',').map((one) => one.trim()).filter(Boolean),
		subject: text('subject'),
		preview_text: text('preview_text'),
		template_id: byTemplate ? text('template_id') : null,
		html: byTemplate ? null : String(values.get('html') ?? '') || null,
		text: byTemplate ? null : String(values.get('text') ?? '') || null,
		topic_id: text('topic_id'),
		audiences: ids('audiences'),
		segments: ids('segments'),
		exclude_segments: ids('exclude_segments'),
		utm: Object.keys(utm).length ? (utm as Record<string, never>) : null,
		...asVariants(values, variants),
	};
}
