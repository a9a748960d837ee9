// SPDX-License-Identifier: MIT
// Which version of a thing a page has read, so that its change is of that version alone.
import { useRef } from 'react';
import { api, Failure } from './client';

const tags = new Map<string, string>();
const one = /^\/v1\/(?:templates|broadcasts|segments|workflows)\/[^/]+(?=$|\/versions\/\d+\/restore$)/;

api.use({
	onResponse({ request, response }) {
		const path = one.exec(new URL(request.url).pathname)?.[0];
		const tag = response.headers.get('ETag');
		if (path && tag && response.ok) tags.set(path, tag);
		return response;
	},
});

/** The version that a form began with. */
export function versionUse(path: string) {
	const base = useRef(tags.get(path));
	return {
		/** With these headers a change is refused where somebody else has changed the thing meanwhile. */
		headers: (): Record<string, string> => (base.current ? { 'If-Match': base.current } : {}),
		/** Takes the version read last as that of the form. */
		renew: () => void (base.current = tags.get(path)),
	};
}

export const isOvertaken = (why: unknown) => why instanceof Failure && why.status === 412;
