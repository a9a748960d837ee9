// SPDX-License-Identifier: MIT
// One template: its parts to write, and what comes of it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent, type RefObject } from 'react';
import { useLocation } from 'wouter';
import { choicesUse } from '../../api/choices';
import { draftUse } from '../../api/draft';
import { changeUse } from '../../api/list';
import { mayChangeUse, sessionUse } from '../../api/session';
import { isOvertaken, versionUse } from '../../api/version';
import { Button } from '../../parts/button';
import { CodeField } from '../../parts/code-field';
import { Conflict, differencesOf } from '../../parts/conflict';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { DraftFound } from '../../parts/draft-found';
import { Choice, Field, said, TextField } from '../../parts/field';
import { Head } from '../../parts/head';
import { MailFrame } from '../../parts/mail-frame';
import { noticeUse } from '../../parts/notice';
import { Ready } from '../../parts/state';
import { unsavedUse, workForget } from '../../parts/unsaved';
import { VersionsButton } from '../../parts/versions';
import { w } from '../../words';
import { Preview } from './preview';
import { layoutNow, layoutQuery, templateChange, templateCopy, templateNow, templateDelete, templateQuery, testSend, type Draft, type Template } from './query';

export type Values = Record<string, unknown>;

export default function TemplatePage({ params: { id } }: { params: Record<string, string> }) {
	const template = useQuery(templateQuery(id));
	const layout = useQuery(layoutQuery(id));
	const may = mayChangeUse();
	const [values, setValues] = useState<Values>({});
	const saver = useRef<Saver | null>(null);
	const [round, setRound] = useState(0);
	const data = useQueryClient();
	const restored = async () => {
		workForget();
		await data.invalidateQueries({ queryKey: ['template', id] });
		setRound(round + 1);
	};
	return (
		<>
			<Head title={template.data?.name ?? w.templates.template} back={{ to: '/templates', name: w.templates.name }}>
				{may && template.data && <VersionsButton of={`/v1/templates/${encodeURIComponent(id)}`} now={{ ...template.data, layout: layout.data }} names={partsOf()} onRestored={() => void restored()} />}
				{may && template.data && <Actions template={template.data} values={values} saver={saver} />}
			</Head>
			<Ready of={template}>{(template) => <Ready of={layout}>{(layout) => <Editing key={`${template.id} ${round}`} template={template} layout={layout} may={may} values={values} onValues={setValues} saver={saver} />}</Ready>}</Ready>
		</>
	);
}

/** The parts that can differ, by the names of their fields. */
const partsOf = () => ({ name: w.templates.template, subject: w.templates.subject, preview_text: w.templates.previewText, html: w.templates.html, text: w.templates.plain, layout: w.templates.layout });

/** Saves what is written, where it is not saved yet. Where it cannot, it tells why and fails. */
type Saver = () => Promise<unknown>;

interface Props {
	template: Template;
	layout: string | null;
	may: boolean;
	values: Values;
	onValues: (values: Values) => void;
	saver: RefObject<Saver | null>;
}

function Editing({ template, layout, may, values, onValues, saver }: Props) {
	const preview_text = template.preview_text ?? null;
	const [name, setName] = useState(template.name);
	const [draft, setDraft] = useState<Draft>(() => ({ subject: template.subject, preview_text, html: template.html, text: template.text, layout }));
	const changed =
		draft.subject !== template.subject || draft.preview_text !== preview_text || draft.html !== template.html || draft.text !== template.text || draft.layout !== layout;
	const dirty = changed || name !== template.name;
	const data = useQueryClient();
	const version = versionUse(`/v1/templates/${encodeURIComponent(template.id)}`);
	const [round, setRound] = useState(0);
	const [theirs, setTheirs] = useState<(Draft & { name: string }) | null>(null);
	const kept = draftUse<Draft & { name: string }>('template', template.id, { dirty, edit: JSON.stringify([name, draft]), read: () => ({ ...draft, name }) });
	const save = changeUse(() => templateChange(template.id, { name: name.trim(), ...draft }, version.headers()), {
		touches: [['template', template.id, 'render'], ['templates']],
		done: w.templates.saved,
		then: (now) => {
			data.setQueryData(templateQuery(template.id).queryKey, now);
			data.setQueryData(layoutQuery(template.id).queryKey, draft.layout);
		},
	});
	const notice = noticeUse();
	const keep = async () => {
		if (!name.trim()) {
			notice(w.unsaved.invalid, 'bad');
			throw new Error(w.unsaved.invalid);
		}
		try {
			await save.mutateAsync();
			version.renew();
		} catch (why) {
			if (isOvertaken(why)) setTheirs({ ...(await templateNow(template.id)), layout: await layoutNow(template.id) } as Draft & { name: string });
			throw why;
		}
	};
	const take = ({ name, subject, preview_text, html, text, layout }: Draft & { name: string }) => {
		setName(name);
		setDraft({ subject, preview_text: preview_text ?? null, html, text, layout });
		setRound(round + 1);
	};
	unsavedUse(may && dirty, keep);
	useEffect(() => {
		saver.current = () => (dirty ? keep() : Promise.resolve());
		return () => void (saver.current = null);
	});
	return (
		<>
			{kept.kept && !dirty && (
				<DraftFound
					at={kept.kept.updated}
					onTake={() => {
						take(kept.kept!.value);
						kept.take();
					}}
					onDrop={kept.drop}
				/>
			)}
			<Conflict
				differences={theirs && differencesOf({ ...draft, name }, theirs, partsOf())}
				onClose={() => setTheirs(null)}
				onMine={() => {
					setTheirs(null);
					version.renew();
					void keep().catch(() => {});
				}}
				onTheirs={() => {
					version.renew();
					take(theirs!);
					setTheirs(null);
					void data.invalidateQueries({ queryKey: ['template', template.id] });
				}}
			/>
			<div className="halves">
				<Form key={round} template={template} name={name} draft={draft} values={values} may={may} dirty={dirty} busy={save.isPending} onName={setName} onDraft={setDraft} onSave={() => void keep().catch(() => {})} />
				{may ? <Preview id={template.id} written={draft} defaults={template.variables} draft={changed ? draft : null} values={values} onValues={onValues} /> : <MailFrame html={template.html} />}
			</div>
		</>
	);
}

interface FormProps extends Pick<Props, 'template' | 'may' | 'values'> {
	name: string;
	draft: Draft;
	dirty: boolean;
	busy: boolean;
	onName: (name: string) => void;
	onDraft: (draft: Draft) => void;
	onSave: () => void;
}

function Form({ template, name, draft, values, may, dirty, busy, onName, onDraft, onSave }: FormProps) {
	const { subject, preview_text, html, text, layout } = draft;
	const others = choicesUse('templates').filter(({ id }) => id !== template.id);
	const layouts = layout !== null && !others.some(({ id }) => id === layout) ? [...others, { id: layout, name: layout }] : others;
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		onSave();
	};
	return (
		<form className="stack" onSubmit={submit}>
			<Field label={w.templates.template} value={name} onChange={(event) => onName(event.target.value)} readOnly={!may} required />
			<Field label={w.templates.subject} value={subject ?? ''} onChange={(event) => onDraft({ ...draft, subject: event.target.value || null })} readOnly={!may} />
			<Field label={w.templates.previewText} help={w.templates.previewTextHelp} value={preview_text ?? ''} onChange={(event) => onDraft({ ...draft, preview_text: event.target.value || null })} maxLength={200} readOnly={!may} />
			<CodeField
				label={w.templates.html}
				name="html"
				value={html}
				onChange={(html) => onDraft({ ...draft, html })}
				rows={22}
				readOnly={!may}
				variables={[...Object.keys({ ...template.variables, ...values }), 'unsubscribe_url']}
			/>
			<TextField label={w.templates.plain} help={w.templates.plainHelp} value={text ?? ''} onChange={(event) => onDraft({ ...draft, text: event.target.value || null })} readOnly={!may} />
			<Choice
				label={w.templates.layout}
				help={w.templates.layoutHelp}
				value={layout ?? ''}
				disabled={!may}
				onChange={(event) => onDraft({ ...draft, layout: event.target.value || null })}
				options={[{ value: '', name: w.templates.layoutNone }, ...layouts.map(({ id, name }) => ({ value: id, name }))]}
			/>
			{may && (
				<div className={dirty ? 'row save' : 'row'}>
					<Button type="submit" look="main" busy={busy}>
						{w.templates.save}
					</Button>
					{dirty && <span className="soft">{w.unsaved.mark}</span>}
				</div>
			)}
		</form>
	);
}

function Actions({ template: { id, name }, values, saver }: Pick<Props, 'template' | 'values' | 'saver'>) {
	const [, go] = useLocation();
	const { user } = sessionUse();
	const data = useQueryClient();
	const notice = noticeUse();
	// A copy is one of what stands on the screen.
	const copyMake = async () => {
		try {
			await saver.current?.();
		} catch {
			return null;
		}
		return templateCopy(id);
	};
	const copy = changeUse(copyMake, { touches: [['templates']], then: (made) => made && go(`/templates/${encodeURIComponent(made.id)}`) });
	const remove = changeUse(() => templateDelete(id), {
		touches: [['templates']],
		done: w.templates.removed,
		then: () => {
			workForget();
			go('/templates');
		},
	});
	return (
		<>
			<FormButton
				look="plain"
				name={w.templates.test}
				title={w.templates.test}
				action={w.templates.test}
				before={async () => saver.current?.()}
				onSubmit={async (form) => {
					await testSend(id, said(form, 'to'), values);
					void data.invalidateQueries({ queryKey: ['emails'] });
					notice(w.templates.testDone);
				}}
			>
				<Field label={w.templates.testTo} name="to" type="email" defaultValue={user.email} required />
			</FormButton>
			<Button busy={copy.isPending} onClick={() => copy.mutate()}>
				{w.broadcasts.acts.duplicate}
			</Button>
			<ConfirmButton name={w.templates.remove} title={w.templates.removeTitle(name)} text={w.templates.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}
