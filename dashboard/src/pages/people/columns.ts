// SPDX-License-Identifier: MIT
// The columns of people in a file that an import reads back.
import type { PersonRow } from './query';

const text = (value: string | null) => value ?? '';

/** The text of a property, by which an import reads the same value back: JSON, but for strings that are no JSON. */
function valueText(value: unknown) {
	if (value === null || value === undefined) return '';
	return typeof value === 'string' && value && !isJson(value) ? value : JSON.stringify(value);
}

function isJson(text: string) {
	try {
		return JSON.parse(text) !== null;
	} catch {
		return false;
	}
}

/** The columns of a file of people, with each property that one of them has. */
export function peopleColumns(people: PersonRow[]) {
	const keys = [...new Set(people.flatMap(({ properties }) => Object.keys(properties)))].sort();
	const column = (name: string, value: (person: PersonRow) => string) => ({ name, value });
	return [
		column('email', ({ email }) => email),
		column('first_name', ({ first_name }) => text(first_name)),
		column('last_name', ({ last_name }) => text(last_name)),
		column('subscribed', ({ subscribed }) => String(subscribed)),
		column('language', ({ language }) => text(language)),
		column('time_zone', ({ time_zone }) => text(time_zone)),
		...keys.map((key) => column(`properties.${key}`, ({ properties }) => valueText((properties as Record<string, unknown>)[key]))),
	];
}
