// SPDX-License-Identifier: MIT
import { queryOptions } from '@tanstack/react-query';
import { api, taken, type Schemas } from '../../api/client';
import { listUse, someOf } from '../../api/list';

export type Contact = Schemas['Contact'];
export type ContactStatus = (typeof contactStatuses)[number];
const at = (id: string) => ({ params: { path: { id } } });

export const audiencesUse = () =>
	listUse(['audiences'], async (cursor) => {
		const { audiences, cursor: next } = await taken(api.GET('/v1/audiences', { params: { query: { cursor } } }));
		return { rows: audiences, cursor: next };
	});

export const contactStatuses = ['subscribed', 'unsubscribed', 'pending'] as const;
export const contactFilters = ['search', 'status'] as const;

type Filters = Partial<Record<(typeof contactFilters)[number], string>>;
const most = 20;

export async function contactsPage(id: string, { search, status }: Filters, cursor: string | undefined) {
	const query = { cursor, search, status: contactStatuses.find((one) => one === status) };
	const { contacts, cursor: next } = await taken(api.GET('/v1/audiences/{id}/contacts', { params: { path: { id }, query } }));
	return { rows: contacts, cursor: next };
}

/** The ids of those among these rows of a page, in the order of addresses, who have not confirmed yet: a row itself does not say so. */
async function pendingOf(id: string, rows: Contact[], search: string | undefined, cursor: string | undefined) {
	const ids = new Set<string>();
	const last = rows.findLast(({ is_subscribed }) => !is_subscribed);
	let behind = !last;
	let next = cursor;
	for (let pages = 0; !behind && pages < most; pages++) {
		const page = await contactsPage(id, { search, status: 'pending' }, next);
		for (const one of page.rows) ids.add(one.id);
		// A page of the pending reaches at least as far as one of all, but for a search by names.
		behind = !search || !page.cursor || page.rows.some(({ email }) => email >= last!.email);
		next = page.cursor ?? undefined;
	}
	return ids;
}

/** The contacts of an audience, each with its state. */
export const contactsUse = (id: string, { search, status }: Filters) =>
	listUse(['contacts', id, search, status], (cursor) =>
		someOf(cursor, async (cursor) => {
			const { rows, cursor: next } = await contactsPage(id, { search, status }, cursor);
			const pending = status ? new Set() : await pendingOf(id, rows, search, cursor);
			const stateOf = (one: Contact): ContactStatus => (one.is_subscribed ? 'subscribed' : status === 'pending' || pending.has(one.id) ? 'pending' : 'unsubscribed');
			return { rows: rows.map((one) => ({ ...one, state: stateOf(one) })), cursor: next };
		}),
	);

export const audienceQuery = (id: string) => queryOptions({ queryKey: ['audience', id], queryFn: () => taken(api.GET('/v1/audiences/{id}', at(id))) });
export const audienceAdd = (name: string) => taken(api.POST('/v1/audiences', { body: { name } }));
export const audienceRename = (id: string, name: string) => taken(api.PATCH('/v1/audiences/{id}', { ...at(id), body: { name } }));
export const audienceDelete = (id: string) => taken(api.DELETE('/v1/audiences/{id}', at(id)));
export const contactAdd = (id: string, body: Schemas['NewContact']) => taken(api.POST('/v1/audiences/{id}/contacts', { ...at(id), body }));
const contactAt = (id: string, contact: string) => ({ params: { path: { id, contact } } });
export const contactChange = (id: string, contact: string, body: Schemas['ContactChange']) =>
	taken(api.PATCH('/v1/audiences/{id}/contacts/{contact}', { ...contactAt(id, contact), body }));
export const contactDelete = (id: string, contact: string) => taken(api.DELETE('/v1/audiences/{id}/contacts/{contact}', contactAt(id, contact)));
/** Sends the mail by which the person confirms once more. */
export const contactConfirm = (id: string, contact: string) => taken(api.POST('/v1/audiences/{id}/contacts/{contact}/confirm', contactAt(id, contact)));

export const optInQuery = (id: string) => queryOptions({ queryKey: ['audience', id, 'opt-in'], queryFn: () => taken(api.GET('/v1/audiences/{id}/opt-in', at(id))) });
export const optInSet = (id: string, body: Schemas['NewOptIn']) => taken(api.PUT('/v1/audiences/{id}/opt-in', { ...at(id), body }));
