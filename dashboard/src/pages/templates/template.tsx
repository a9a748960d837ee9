// SPDX-License-Identifier: MIT
// One template: its parts to write, and what comes of it.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { useLocation } from 'wouter';
import { changeUse } from '../../api/list';
import { mayChangeUse } from '../../api/session';
import { Button } from '../../parts/button';
import { CodeField } from '../../parts/code-field';
import { ConfirmButton, FormButton } from '../../parts/dialog';
import { Field, said, TextField } from '../../parts/field';
import { Head } from '../../parts/head';
import { MailFrame } from '../../parts/mail-frame';
import { noticeUse } from '../../parts/notice';
import { Ready } from '../../parts/state';
import { w } from '../../words';
import { Preview } from './preview';
import { templateChange, templateDelete, templateQuery, testSend, type Template } from './query';

export type Values = Record<string, unknown>;

export default function TemplatePage({ params: { id } }: { params: Record<string, string> }) {
	const template = useQuery(templateQuery(id));
	const may = mayChangeUse();
	const [values, setValues] = useState<Values>({});
	return (
		<>
			<Head title={template.data?.name ?? w.templates.template} back={{ to: '/templates', name: w.templates.name }}>
				{may && template.data && <Actions template={template.data} values={values} />}
			</Head>
			<Ready of={template}>
				{(template) => (
					<div className="halves">
						<Form template={template} values={values} may={may} />
						{may ? <Preview template={template} values={values} onValues={setValues} /> : <MailFrame html={template.html} />}
					</div>
				)}
			</Ready>
		</>
	);
}

function Form({ template, values, may }: { template: Template; values: Values; may: boolean }) {
	const [html, setHtml] = useState(template.html);
	const save = changeUse((body: Parameters<typeof templateChange>[1]) => templateChange(template.id, body), {
		touches: [['template', template.id], ['templates']],
		done: w.templates.saved,
	});
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const written = new FormData(event.currentTarget);
		save.mutate({ name: said(written, 'name'), subject: said(written, 'subject'), html, text: String(written.get('text')) || null });
	};
	return (
		<form className="stack" onSubmit={submit}>
			<Field label={w.templates.template} name="name" defaultValue={template.name} readOnly={!may} required />
			<Field label={w.templates.subject} name="subject" defaultValue={template.subject ?? ''} readOnly={!may} />
			<CodeField label={w.templates.html} name="html" value={html} onChange={setHtml} rows={22} readOnly={!may} variables={[...Object.keys({ ...template.variables, ...values }), 'unsubscribe_url']} />
			<TextField label={w.templates.plain} name="text" help={w.templates.plainHelp} defaultValue={template.text ?? ''} readOnly={!may} />
			{may && (
				<div>
					<Button type="submit" look="main" busy={save.isPending}>
						{w.templates.save}
					</Button>
				</div>
			)}
		</form>
	);
}

function Actions({ template: { id, name }, values }: { template: Template; values: Values }) {
	const [, go] = useLocation();
	const data = useQueryClient();
	const notice = noticeUse();
	const remove = changeUse(() => templateDelete(id), { touches: [['templates']], done: w.templates.removed, then: () => go('/templates') });
	return (
		<>
			<FormButton
				look="plain"
				name={w.templates.test}
				title={w.templates.test}
				action={w.templates.test}
				onSubmit={async (form) => {
					await testSend(id, said(form, 'to'), values);
					void data.invalidateQueries({ queryKey: ['emails'] });
					notice(w.templates.testDone);
				}}
			>
				<Field label={w.templates.testTo} name="to" type="email" required />
			</FormButton>
			<ConfirmButton name={w.templates.remove} title={w.templates.removeTitle(name)} text={w.templates.removeText} onConfirm={() => remove.mutate()} />
		</>
	);
}
