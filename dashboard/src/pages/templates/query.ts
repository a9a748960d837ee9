// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Template = Schemas['Template'];
const at = (id: string) => ({ params: { path: { id } } });

export const templatesUse = () =>
	listUse(['templates'], async (cursor) => {
		const { templates, cursor: next } = await taken(api.GET('/v1/templates', { params: { query: { cursor } } }));
		return { rows: templates, cursor: next };
	});

export const templateQuery = (id: string) => queryOptions({ queryKey: ['template', id], queryFn: () => taken(api.GET('/v1/templates/{id}', at(id))) });

/** The id of the template in whose html its html stands; null: none. */
export const layoutQuery = (id: string) =>
	queryOptions({ queryKey: ['template', id, 'layout'], queryFn: async () => (await taken(api.GET('/v1/templates/{id}/layout', at(id)))).layout });

/** What a template says, as it is being written. */
export interface Draft extends Pick<Template, 'subject' | 'html' | 'text'> {
	layout: string | null;
	preview_text: string | null;
}

/** What comes of a draft with these values, which may be a person's, in it, or of what is stored. */
export const renderQuery = (id: string, person: string | null, draft: Draft | null, variables: Record<string, unknown>) =>
	queryOptions({
		queryKey: ['template', id, 'render', person, draft, variables],
		retry: false,
		gcTime: 60_000,
		placeholderData: (before: Schemas['TemplatePreview'] | undefined, last?: { queryKey: readonly unknown[] }) => (last?.queryKey[3] === person ? before : undefined),
		queryFn: async () =>
			draft
				? taken(api.POST('/v1/templates/render', { body: { ...draft, variables } as Schemas['TemplateDraft'] }))
				: { ...(await taken(api.POST('/v1/templates/{id}/render', { ...at(id), body: { variables } as Schemas['TemplateValues'] }))), problems: [] },
	});

export const templateAdd = (body: Schemas['NewTemplate']) => taken(api.POST('/v1/templates', { body }));
export const templateChange = (id: string, body: Schemas['TemplateChange'], headers: Record<string, string> = {}) => taken(api.PATCH('/v1/templates/{id}', { ...at(id), body, headers }));
export const templateNow = (id: string) => taken(api.GET('/v1/templates/{id}', at(id)));
export const layoutNow = async (id: string) => (await taken(api.GET('/v1/templates/{id}/layout', at(id)))).layout;
/** Another template with the same content. */
export async function templateCopy(id: string) {
	const { name, subject, preview_text, html, text, variables } = await templateNow(id);
	return templateAdd({ name: `${[...name].slice(0, 93).join('')} (copy)`, subject, preview_text, html, text, variables, layout: await layoutNow(id) } as Schemas['NewTemplate']);
}
export const templateDelete = (id: string) => taken(api.DELETE('/v1/templates/{id}', at(id)));
export const testSend = async (template_id: string, to: string, variables: Record<string, unknown>) => {
	const { default_sender } = await taken(api.GET('/v1/workspace'));
	return taken(api.POST('/v1/emails', { params: {}, body: { from: default_sender ?? '', to, template_id, variables } as Schemas['NewEmail'] }));
};
