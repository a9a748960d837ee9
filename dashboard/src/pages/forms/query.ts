// SPDX-License-Identifier: MIT
import { api, taken, type Schemas } from '../../api/client';
import { listUse } from '../../api/list';

export type Form = Schemas['Form'];

export const formsUse = () =>
	listUse(['forms'], async (cursor) => {
		const { forms, cursor: next } = await taken(api.GET('/v1/forms', { params: { query: { cursor } } }));
		return { rows: forms, cursor: next };
	});

export const formAdd = (body: Schemas['NewForm']) => taken(api.POST('/v1/forms', { body }));
export const formChange = (id: string, body: Schemas['FormChange']) => taken(api.PATCH('/v1/forms/{id}', { params: { path: { id } }, body }));
export const formDelete = (id: string) => taken(api.DELETE('/v1/forms/{id}', { params: { path: { id } } }));

/** The form as html, to paste into a page of one's own. */
export async function snippetGet(id: string) {
	const answer = await fetch(`/f/${id}?snippet`);
	if (!answer.ok) throw new Error(`HTTP ${answer.status}`);
	return answer.text();
}
