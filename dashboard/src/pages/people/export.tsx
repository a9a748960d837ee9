// SPDX-License-Identifier: MIT
// All people as a file that an import reads back.
import { useState } from 'react';
import { api, taken, type Schemas } from '../../api/client';
import { csvLine, fileSave } from '../../api/csv';
import { Button } from '../../parts/button';
import { noticeUse } from '../../parts/notice';
import { w } from '../../words';

export function Export() {
	const [count, setCount] = useState<number | null>(null);
	const notice = noticeUse();
	const run = async () => {
		setCount(0);
		try {
			fileSave('people.csv', lines(await everybody(setCount)));
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

async function everybody(tell: (count: number) => void) {
	const people: Schemas['PersonRow'][] = [];
	let cursor: string | undefined;
	do {
		const page = await taken(api.GET('/v1/people', { params: { query: { cursor } } }));
		people.push(...page.people);
		tell(people.length);
		cursor = page.cursor ?? undefined;
	} while (cursor);
	return people;
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

function lines(people: Schemas['PersonRow'][]) {
	const keys = [...new Set(people.flatMap(({ properties }) => Object.keys(properties)))].sort();
	const header = ['email', 'first_name', 'last_name', 'subscribed', 'language', 'time_zone', ...keys.map((key) => `properties.${key}`)];
	const row = (person: Schemas['PersonRow']) => [
		person.email, text(person.first_name), text(person.last_name), String(person.subscribed), text(person.language), text(person.time_zone),
		...keys.map((key) => valueText((person.properties as Record<string, unknown>)[key])),
	];
	return [csvLine(header), ...people.map((person) => csvLine(row(person)))];
}
