// SPDX-License-Identifier: MIT
// Comma-separated values (RFC 4180): files that are written as `posthouse contact export` does.

// Spreadsheets take such a field for a formula.
const formula = /^'*[=+\-@\t\r]/;

const guarded = (field: string) => (formula.test(field) ? `'${field}` : field);
const written = (field: string) => (/[",\r\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field);

export const csvLine = (fields: string[]) => `${fields.map((field) => written(guarded(field))).join(',')}\r\n`;

/** Hands the reader a file. */
export function fileSave(name: string, parts: BlobPart[]) {
	const url = URL.createObjectURL(new Blob(parts, { type: 'text/csv;charset=utf-8' }));
	const link = document.createElement('a');
	link.href = url;
	link.download = name;
	link.click();
	setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
