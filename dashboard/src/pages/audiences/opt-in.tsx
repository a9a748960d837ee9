// SPDX-License-Identifier: MIT
// Whether people confirm that they want to be in an audience, and the email that asks them.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { choicesUse } from '../../api/choices';
import { FormButton } from '../../parts/dialog';
import { Choice, Field, said } from '../../parts/field';
import { w } from '../../words';
import { optInQuery, optInSet } from './query';

export function OptIn({ id }: { id: string }) {
	const now = useQuery(optInQuery(id)).data;
	const templates = choicesUse('templates');
	const data = useQueryClient();
	if (!now) return null;
	const save = async (values: FormData) => {
		await optInSet(id, {
			required: said(values, 'required') === 'yes',
			template_id: said(values, 'template') || null,
			from: said(values, 'from') || null,
			subject: said(values, 'subject') || null,
			confirm: said(values, 'confirm') as 'button',
		});
		await data.invalidateQueries({ queryKey: ['audience', id] });
	};
	const known = now.template_id === null || templates.some((one) => one.id === now.template_id) ? [] : [{ id: now.template_id, name: now.template_id }];
	return (
		<FormButton look="plain" name={w.audiences.optIn} title={w.audiences.optIn} action={w.do.save} onSubmit={save}>
			<Choice label={w.audiences.optInRequired} name="required" defaultValue={now.required ? 'yes' : 'no'} options={[{ value: 'no', name: w.forms.no }, { value: 'yes', name: w.forms.yes }]} />
			<Choice
				key={templates.length}
				label={w.templates.template}
				help={w.audiences.optInTemplateHelp}
				name="template"
				defaultValue={now.template_id ?? ''}
				options={[{ value: '', name: w.audiences.optInBuiltIn }, ...[...templates, ...known].map(({ id, name }) => ({ value: id, name }))]}
			/>
			<Field label={w.emails.from} name="from" help={w.workflows.fromHelp} defaultValue={now.from ?? ''} />
			<Field label={w.emails.subject} name="subject" help={w.audiences.optInSubjectHelp} defaultValue={now.subject ?? ''} maxLength={100} />
			<Choice
				label={w.audiences.optInConfirm}
				name="confirm"
				defaultValue={now.confirm}
				options={[{ value: 'button', name: w.audiences.optInButton }, { value: 'link', name: w.audiences.optInLink }]}
			/>
		</FormButton>
	);
}
