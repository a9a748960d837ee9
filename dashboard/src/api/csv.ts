// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180): the first lines of a file, and files that are written as `posthouse contact export` does.

const begin = 64 * 1024;
const some = 6;
const signs: Record<string, string> = { comma: ',', semicolon: ';', tab: '\t' };

/** The text at the beginning of a file; a byte order mark decides its encoding before `encoding` does. */
async function textOf(file: Blob, encoding: string) {
	const bytes = await file.slice(0, begin).arrayBuffer();
	const [one, two] = new Uint8Array(bytes);
	return new TextDecoder(one === 0xff && two === 0xfe ? 'utf-16le' : one === 0xfe && two === 0xff ? 'utf-16be' : encoding).decode(bytes);
}

/** The first records of a file, as far as the browser needs to show them. separator: its name; else what the first line has most of. */
export async function csvHead(file: Blob, encoding: string, separator: string): Promise<string[][]> {
	const all = await textOf(file, encoding);
	const said = /^sep=(.)\r?\n/i.exec(all);
	const text = said ? all.slice(said[0].length) : all;
	const sign = signs[separator] ?? said?.[1] ?? separatorOf(text.slice(0, text.search(/[\r\n]|$/)));
	const records: string[][] = [];
	let fields: string[] = [];
	let field = '';
	let quoted = false;
	for (let at = 0; at <= text.length && records.length < some; at++) {
		const next = text[at] ?? '\n';
		if (quoted && at < text.length) {
			if (next !== '"') field += next;
			else if (text[at + 1] === '"') field += text[++at];
			else quoted = false;
		} else if (next === '"' && field === '') quoted = true;
		else if (next === sign || next === '\n' || next === '\r') {
			fields.push(field);
			field = '';
			if (next === sign) continue;
			if (fields.some(Boolean)) records.push(fields);
			fields = [];
		} else field += next;
	}
	return records;
}

const separatorOf = (head: string) => [',', ';', '\t'].sort((a, b) => head.split(b).length - head.split(a).length)[0];

// Spreadsheets take such a field for a formula.
const formula = /^'*[=+\-@\t\r]/;

const guarded = (field: string) => (formula.test(field) ? `'${field}` : field);
const written = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

export const csvLine = (fields: string[]) => `${fields.map((field) => written(guarded(field))).join(',')}\r\n`;

/** Hands the reader a file. */
export function fileSave(name: string, parts: string[]) {
	const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }));
	const link = document.createElement('a');
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
