// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180): read from a file, and written to one, as `posthouse contact import` and `export` do.

/** A record with the number of the line where it begins. */
export interface CsvRecord {
	line: number;
	fields: string[];
}

/** The records of a text; the separator is what the first line has most of. Empty lines are left out. */
export function csvRead(text: string): CsvRecord[] {
	const from = text.startsWith('\ufeff') ? 1 : 0;
	const separator = separatorOf(text.slice(from, text.search(/[\r\n]|$/)));
	const records: CsvRecord[] = [];
	let fields: string[] = [];
	let field = '';
	let quoted = false;
	let line = 1;
	let begun = 1;
	const endField = () => {
		fields.push(field);
		field = '';
	};
	const endRecord = () => {
		endField();
		if (fields.length > 1 || fields[0] !== '') records.push({ line: begun, fields });
		fields = [];
	};
	for (let at = from; at < text.length; at++) {
		const sign = text[at];
		if (sign === '\n' || (sign === '\r' && text[at + 1] !== '\n')) line++;
		if (quoted) {
			if (sign !== '"') field += sign;
			else if (text[at + 1] === '"') field += text[++at];
			else quoted = false;
		} else if (sign === '"' && field === '') quoted = true;
		else if (sign === separator) endField();
		else if (sign === '\n' || sign === '\r') {
			if (sign === '\r' && text[at + 1] === '\n') {
				at++;
				line++;
			}
			endRecord();
			begun = line;
		} else field += sign;
	}
	if (field !== '' || fields.length) endRecord();
	return records;
}

const separatorOf = (head: string) => [',', ';', '\t'].sort((a, b) => head.split(b).length - head.split(a).length)[0];

// Spreadsheets take such a field for a formula.
const formula = /^'*[=+\-@\t\r]/;

export const csvUnguard = (field: string) => (field.startsWith("'") && formula.test(field) ? field.slice(1) : field);
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
