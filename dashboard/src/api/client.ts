// SPDX-License-Identifier: MIT
// The client of the service: the operations of openapi.json, with the session's cookie and token.
import createClient from 'openapi-fetch';
import { w } from '../words';
import { faultText } from './faults';
import type { components, paths } from './schema';

export type Schemas = components['schemas'];

/** Why an operation was refused. */
export class Failure extends Error {
	constructor(
		readonly status: number,
		message: string,
		readonly code?: string,
		/** The whole answer. */
		readonly answer: unknown = null,
	) {
		super(message);
	}
}

let csrf = '';
export const csrfSet = (token: string) => void (csrf = token);

/** What is done when the service no longer knows the session. */
let onEnded = () => {};
export const onSessionEnded = (what: () => void) => void (onEnded = what);

/** Marks a request that is for no certain workspace. It is not sent. */
export const anyWorkspace = 'X-Any-Workspace';

/** Names the workspace of a request, where it is not that of the address. */
export const workspaceHeader = 'X-Posthouse-Workspace';

export const api = createClient<paths>({ baseUrl: location.origin, credentials: 'same-origin' });

/** The workspace that the address names; null: none. */
export const workspaceHere = () => /^\/dashboard\/w\/([^/]+)/.exec(location.pathname)?.[1] ?? null;

/** What is read in several requests is of one workspace: the function that comes back fails once the address names another. */
export function workspaceHeld() {
	const here = workspaceHere();
	return () => {
		if (workspaceHere() !== here) throw new Error(w.state.elsewhere);
	};
}

api.use({
	onRequest({ request }) {
		const workspace = workspaceHere();
		if (workspace && !request.headers.has(anyWorkspace) && !request.headers.has(workspaceHeader)) request.headers.set(workspaceHeader, workspace);
		request.headers.delete(anyWorkspace);
		if (csrf && request.method !== 'GET') request.headers.set('X-CSRF-Token', csrf);
		return request;
	},
});

/** Asks what the description of the API that this was built with does not have. */
export function asked<T>(method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE', path: string, options: { query?: Record<string, string | undefined>; body?: unknown; headers?: Record<string, string> } = {}) {
	const ask = (api as unknown as Record<string, (path: string, options: object) => Promise<Answer<T>>>)[method];
	return ask(path, { params: { query: options.query ?? {} }, ...(options.body === undefined ? {} : { body: options.body }), headers: options.headers });
}

interface Answer<T> {
	data?: T;
	error?: unknown;
	response: Response;
}

/** What an operation answered; throws a Failure with the service's sentence in the words of the page. */
export async function taken<T>(asked: Promise<Answer<T>>): Promise<T> {
	const { data, error, response } = await asked;
	if (response.ok) return data as T;
	const said = (error ?? {}) as { message?: string; error?: string; details?: string; code?: string };
	if (response.status === 401) onEnded();
	throw new Failure(response.status, faultText(said.message ?? said.details ?? said.error ?? `HTTP ${response.status}`), said.code, error);
}
