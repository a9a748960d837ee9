// SPDX-License-Identifier: MIT
// Rows of a list that are picked, one by one, all that are shown, or all that fit the filters.
import { useState } from 'react';
import { workspaceHeld } from '../api/client';
import type { List, PageOf } from '../api/list';
import { w } from '../words';
import './bulk.css';

export interface Picked<Row> {
	rows: Map<string, Row>;
	/** How many fit, where all of them are picked and not those alone that are shown; else null. */
	fit: number | null;
	has: (row: Row) => boolean;
	turn: (row: Row, on: boolean) => void;
	all: (rows: Row[]) => void;
	/** Picks all that fit, of which there are so many. */
	whole: (rows: Row[], count: number) => void;
	none: () => void;
	id: (row: Row) => string;
}

/** What is picked of a list; `key` is another one with other filters, and nothing is picked then. */
export function pickedUse<Row>(key: unknown, id: (row: Row) => string): Picked<Row> {
	const text = JSON.stringify(key);
	const [kept, setKept] = useState<{ text: string; rows: Map<string, Row>; fit: number | null }>({ text, rows: new Map(), fit: null });
	const { rows, fit } = kept.text === text ? kept : { rows: new Map<string, Row>(), fit: null };
	const set = (rows: Map<string, Row>, fit: number | null = null) => setKept({ text, rows, fit });
	const byId = (all: Row[]) => new Map(all.map((row) => [id(row), row]));
	return {
		rows,
		fit,
		id,
		has: (row) => fit !== null || rows.has(id(row)),
		turn: (row, on) => {
			const next = new Map(rows);
			if (on) next.set(id(row), row);
			else next.delete(id(row));
			set(next);
		},
		all: (all) => set(byId(all)),
		whole: (all, count) => set(byId(all), count),
		none: () => set(new Map()),
	};
}

/** The box in front of a row. */
export function Pick<Row>({ of, row, name }: { of: Picked<Row>; row: Row; name: string }) {
	return <input type="checkbox" className="pick" aria-label={w.bulk.pick(name)} checked={of.has(row)} onChange={(event) => of.turn(row, event.target.checked)} />;
}

/** The box for all rows that are shown. */
export function PickAll<Row>({ of, list }: { of: Picked<Row>; list: List<Row> }) {
	const all = list.rows.length > 0 && list.rows.every(of.has);
	return (
		<label className="pick-all">
			<input type="checkbox" checked={all} onChange={() => (all ? of.none() : of.all([...of.rows.values(), ...list.rows]))} /> {w.bulk.all}
		</label>
	);
}

/** Reads a list to its end, and tells how far it is. */
export async function readAll<Row>(get: (cursor: string | undefined) => Promise<PageOf<Row>>, tell: (count: number) => void) {
	const rows: Row[] = [];
	const held = workspaceHeld();
	let cursor: string | undefined;
	do {
		const page = await get(cursor);
		held();
		rows.push(...page.rows);
		tell(rows.length);
		cursor = page.cursor ?? undefined;
	} while (cursor);
	return rows;
}
