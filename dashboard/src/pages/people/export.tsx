// SPDX-License-Identifier: MIT
// All people as a file that an import reads back.
import { useState } from 'react';
import { csvLine, fileSave } from '../../api/csv';
import { Button } from '../../parts/button';
import { noticeUse } from '../../parts/notice';
import { readAll } from '../../parts/picked';
import { w } from '../../words';
import { peoplePage, type PersonRow } from './query';

export function Export() {
	const [count, setCount] = useState<number | null>(null);
	const notice = noticeUse();
	const run = async () => {
		setCount(0);
		try {
			const people = await readAll((cursor) => peoplePage({}, cursor), setCount);
			const columns = peopleColumns(people);
			fileSave('people.csv', [csvLine(columns.map(({ name }) => name)), ...people.map((person) => csvLine(columns.map(({ value }) => value(person))))]);
		} catch (why) {
			notice((why as Error).message, 'bad');
		} finally {
			setCount(null);
		}
	};
	return (
		<Button busy={count !== null} onClick={() => void run()}>
			{count ? w.people.exported(count) : w.people.export}
		</Button>
	);
}

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
