// SPDX-License-Identifier: MIT
// Puts the lines of a file into the workspace, many with each request, and keeps what the service said of each that it refused.
import { api, taken, type Schemas } from '../../api/client';
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
	unchanged: number;
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

/** A line as it is sent; what it has no word about stays as it is. */
type Row = Record<string, unknown> & { properties: Record<string, unknown> };

const truths: Record<string, boolean> = { true: true, yes: true, 1: true, false: false, no: false, 0: false };

/** A text as the type that the workspace gave the property; one that is not of the type is left to the service to refuse. */
function typed(text: string, type: Schemas['Property']['type'] | undefined) {
	if (type === 'number') return text.trim() !== '' && Number.isFinite(Number(text)) ? Number(text) : text;
	return type === 'boolean' ? (truths[text.toLowerCase()] ?? text) : text;
}

function rowOf({ fields: values }: CsvRecord, { uses, properties, audience }: Wish): Row {
	const row: Row = { properties: {} };
	uses.forEach((use, index) => {
		const text = csvUnguard(values[index] ?? '');
		if (use === 'email') row.email = text.trim();
		else if (use === 'first_name' || use === 'last_name') row[use] = text || null;
		else if (use === 'language' || use === 'time_zone') text && (row[use] = text);
		else if (use === 'subscribed') row[audience ? 'is_subscribed' : 'subscribed'] = truths[text.trim().toLowerCase()];
		else if (use) row.properties[use.slice(9)] = text === '' ? null : typed(text, properties.find(({ key }) => key === use.slice(9))?.type);
	});
	return row;
}

interface Said {
	data?: unknown;
	error?: unknown;
	response: Response;
}

const wait = (ms: number) => new Promise((done) => setTimeout(done, ms));

/** Asks until the service has an answer: it may be busy, or down for a moment. The same lines again change nothing. */
async function settled<T extends Said>(ask: () => Promise<T>): Promise<T> {
	for (let tries = 1; ; tries++) {
		const said = await ask().catch((why: Error) => why);
		const busy = said instanceof Error || said.response.status >= 500 || said.response.status === 429;
		if (!busy) return said;
		if (tries > 20) {
			if (said instanceof Error) throw said;
			return said;
		}
		await wait(1000 * Math.max(1, Math.min(60, Number(said instanceof Error ? 0 : said.response.headers.get('Retry-After')) || tries)));
	}
}

function send(rows: Row[], { audience, duplicates }: Wish) {
	const body = { rows, duplicates } as never;
	return audience ? api.POST('/v1/audiences/{id}/import', { params: { path: { id: audience } }, body }) : api.POST('/v1/people/import', { body });
}

const counts = ['created', 'updated', 'unchanged', 'skipped', 'kept'] as const;
const together = 500;

/** Works through the records. `tally` is changed as it goes. */
export async function importRun(wish: Wish, tally: Tally, stop: AbortSignal) {
	while (tally.done < wish.records.length && !stop.aborted) {
		const records = wish.records.slice(tally.done, tally.done + together);
		const rows = records.map((record) => rowOf(record, wish));
		const said = await taken(settled(() => send(rows, wish)));
		for (const name of counts) tally[name] += said[name];
		for (const { index, message } of said.failed) tally.refused.push({ record: records[index], why: message });
		tally.done += records.length;
	}
}
