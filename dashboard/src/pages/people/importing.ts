// SPDX-License-Identifier: MIT
// Puts the lines of a file into the workspace, some at a time, and keeps what the service said of each that it refused.
import { api, type Schemas } from '../../api/client';
import { csvUnguard, type CsvRecord } from '../../api/csv';

export const fields = ['email', 'first_name', 'last_name', 'language', 'time_zone', 'subscribed'] as const;
export type Field = (typeof fields)[number];
/** What a column is: a field, a property, or nothing. */
export type Use = Field | `property:${string}` | '';
export type Duplicates = 'update' | 'skip' | 'refuse';

export interface Wish {
	records: CsvRecord[];
	uses: Use[];
	audience: string;
	duplicates: Duplicates;
	properties: Schemas['Property'][];
}

export interface Tally {
	done: number;
	created: number;
	updated: number;
	skipped: number;
	/** Those whose own choice was kept. */
	kept: number;
	refused: { record: CsvRecord; why: string }[];
}

const others: Record<Field, RegExp> = {
	email: /^(e?mail|e?mailaddress|address|emailadresse)$/,
	first_name: /^(first|given|fore)name$|^vorname$/,
	last_name: /^(last|family|sur)name$|^nachname$/,
	language: /^(language|lang|locale|sprache)$/,
	time_zone: /^(timezone|tz|zeitzone)$/,
	subscribed: /^(is)?subscribed$/,
};

/** What a column is by its name. */
export function useOf(name: string): Use {
	const plain = name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
	const field = fields.find((one) => others[one].test(plain));
	const key = name.trim().replace(/[^A-Za-z0-9_]+/g, '_');
	return field ?? (/^[A-Za-z_]\w{0,49}$/.test(key) ? `property:${key}` : '');
}

/** A line as it is sent. */
interface Row {
	email: string;
	names: { first_name?: string | null; last_name?: string | null };
	rest: { language?: string; time_zone?: string };
	properties: Record<string, unknown>;
	subscribed?: boolean;
}

const truths: Record<string, boolean> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** A text as the type that the workspace gave the property; one that is not of the type is left to the service to refuse. */
function typed(text: string, type: Schemas['Property']['type'] | undefined) {
	if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
	return type === 'boolean' ? (truths[text.toLowerCase()] ?? text) : text;
}

function rowOf({ fields: values }: CsvRecord, { uses, properties }: Wish): Row {
	const row: Row = { email: '', names: {}, rest: {}, properties: {} };
	uses.forEach((use, index) => {
		const text = csvUnguard(values[index] ?? '');
		if (use === 'email') row.email = text.trim();
		else if (use === 'first_name' || use === 'last_name') row.names[use] = text || null;
		else if (use === 'language' || use === 'time_zone') text && (row.rest[use] = text);
		else if (use === 'subscribed') row.subscribed = truths[text.trim().toLowerCase()];
		else if (use) row.properties[use.slice(9)] = text === '' ? null : typed(text, properties.find(({ key }) => key === use.slice(9))?.type);
	});
	return row;
}

/** Ends the import: the service refuses all, or does not answer. */
export class Stopped extends Error {}

interface Said {
	data?: unknown;
	error?: unknown;
	response: Response;
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));
const sentence = (said: Said) => (said.error as { message?: string } | undefined)?.message ?? `HTTP ${said.response.status}`;

/** Asks until the service has an answer about this line. */
async function settled(ask: () => Promise<Said>): Promise<Said> {
	for (let tries = 0; ; tries++) {
		const said = await ask().catch(() => null);
		const status = said?.response.status ?? 503;
		if (said && (status === 401 || status === 403)) throw new Stopped(sentence(said));
		if (said && status < 500 && status !== 429) return said;
		if (tries === 20) throw new Stopped(said ? sentence(said) : '');
		await wait(1000 * Math.max(1, Math.min(60, Number(said?.response.headers.get('Retry-After')) || tries)));
	}
}

type Outcome = 'created' | 'updated' | 'skipped';
const ok = ({ response }: Said) => response.ok;
const known = (said: Said) => said.response.status === 409 && /already exists$/.test(sentence(said));
const chosen = (said: Said) => said.response.status === 409 && /override/.test(sentence(said));

/** A line's outcome; throws its fault. */
async function rowPut(row: Row, wish: Wish, tally: Tally): Promise<Outcome> {
	const change = { ...row.names, ...row.rest, properties: row.properties as Record<string, never> };
	let said = wish.audience ? await contactPut(row, wish, tally) : await personPut({ ...change, properties: given(row.properties) }, row, tally);
	const is = known(said);
	if (is && wish.duplicates === 'skip') return 'skipped';
	if (!ok(said) && (!is || wish.duplicates === 'refuse')) throw new Error(sentence(said));
	if (is && row.subscribed !== undefined) await subscribedPut(row, wish, tally);
	if (is || (wish.audience && (Object.keys(row.rest).length || Object.keys(row.properties).length))) {
		said = await settled(() => api.PATCH('/v1/people/{email}', { params: { path: { email: row.email } }, body: change }));
		if (!ok(said)) throw new Error(sentence(said));
	}
	return is ? 'updated' : 'created';
}

const given = (properties: Row['properties']) => Object.fromEntries(Object.entries(properties).filter(([, value]) => value !== null)) as Record<string, never>;

/** Tries with the wish to be subscribed; who left by themselves stays as they are. */
async function asChosen(subscribed: boolean | undefined, tally: Tally, ask: (subscribed: boolean | undefined) => Promise<Said>) {
	const said = await settled(() => ask(subscribed));
	if (!chosen(said)) return said;
	tally.kept++;
	return settled(() => ask(undefined));
}

const contactPut = ({ email, names, subscribed }: Row, { audience }: Wish, tally: Tally) =>
	asChosen(subscribed, tally, (is_subscribed) =>
		api.POST('/v1/audiences/{id}/contacts', { params: { path: { id: audience } }, body: { email, ...names, ...(is_subscribed === undefined ? {} : { is_subscribed }) } }),
	);

const personPut = (body: object, { email, subscribed }: Row, tally: Tally) =>
	asChosen(subscribed, tally, (wished) => api.POST('/v1/people', { body: { email, ...body, ...(wished === undefined ? {} : { subscribed: wished }) } }));

/** Sets whether somebody who is there already is subscribed: in the audience, or at all. */
async function subscribedPut({ email, subscribed }: Row, { audience }: Wish, tally: Tally) {
	const path = { email };
	const person = audience ? await settled(() => api.GET('/v1/people/{email}', { params: { path } })) : undefined;
	const contact = (person?.data as Schemas['Person'] | undefined)?.audiences.find(({ id }) => id === audience)?.contact_id;
	const said = await settled(() =>
		contact
			? api.PATCH('/v1/audiences/{id}/contacts/{contact}', { params: { path: { id: audience, contact } }, body: { is_subscribed: subscribed } })
			: api.PATCH('/v1/people/{email}', { params: { path }, body: { subscribed } }),
	);
	if (chosen(said)) tally.kept++;
	else if (!ok(said)) throw new Error(sentence(said));
}

const lanes = 6;

/** Works through the records; lines of one address follow each other. `tally` is changed as it goes. */
export async function importRun(wish: Wish, tally: Tally, stop: AbortSignal) {
	const busy = new Map<string, Promise<void>>();
	let next = 0;
	const one = async (record: CsvRecord) => {
		const row = rowOf(record, wish);
		const address = row.email.toLowerCase();
		const before = busy.get(address);
		const work = (async () => {
			await before?.catch(() => {});
			tally[await rowPut(row, wish, tally)]++;
		})();
		busy.set(address, work);
		try {
			await work;
		} catch (why) {
			if (why instanceof Stopped) throw why;
			tally.refused.push({ record, why: (why as Error).message });
		} finally {
			if (busy.get(address) === work) busy.delete(address);
		}
		tally.done++;
	};
	const lane = async () => {
		while (next < wish.records.length && !stop.aborted) await one(wish.records[next++]);
	};
	await Promise.all(Array.from({ length: lanes }, lane));
}
