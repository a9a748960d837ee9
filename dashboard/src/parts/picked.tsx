// SPDX-License-Identifier: MIT
// Rows of a list that are picked, one by one, all that are shown, or all that fit the filters.
import { useEffect, useRef, useState } from 'react';
import type { List } from '../api/list';
import { w } from '../words';
import './bulk.css';

export interface Picked<Row> {
	rows: Map<string, Row>;
	/** How many fit, where all of them are picked and not those alone that are shown; else null. */
	fit: number | null;
	has: (row: Row) => boolean;
	/** With `range`, all rows from the one that was turned last on. */
	turn: (row: Row, on: boolean, range?: boolean) => void;
	/** Tells which rows are shown, in their order. */
	show: (rows: Row[]) => void;
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
	const shown = useRef<Row[]>([]);
	const last = useRef('');
	const set = (rows: Map<string, Row>, fit: number | null = null) => setKept({ text, rows, fit });
	const byId = (all: Row[]) => new Map(all.map((row) => [id(row), row]));
	return {
		rows,
		fit,
		id,
		has: (row) => fit !== null || rows.has(id(row)),
		turn: (row, on, range) => {
			const places = [last.current, id(row)].map((one) => shown.current.findIndex((other) => id(other) === one)).sort((a, b) => a - b);
			const next = new Map(rows);
			for (const one of range && places[0] >= 0 ? shown.current.slice(places[0], places[1] + 1) : [row])
				if (on) next.set(id(one), one);
				else next.delete(id(one));
			last.current = id(row);
			set(next);
		},
		show: (rows) => void (shown.current = rows),
		all: (all) => set(byId(all)),
		whole: (all, count) => set(byId(all), count),
		none: () => set(new Map()),
	};
}

/** The box in front of a row. */
export function Pick<Row>({ of, row, name }: { of: Picked<Row>; row: Row; name: string }) {
	return <input type="checkbox" className="pick" aria-label={w.bulk.pick(name)} checked={of.has(row)} onChange={(event) => of.turn(row, event.target.checked, (event.nativeEvent as MouseEvent).shiftKey)} />;
}

/** The box for all rows that are shown. */
export function PickAll<Row>({ of, list }: { of: Picked<Row>; list: List<Row> }) {
	useEffect(() => of.show(list.rows));
	const all = list.rows.length > 0 && list.rows.every(of.has);
	return (
		<label className="pick-all">
			<input type="checkbox" checked={all} onChange={() => (all ? of.none() : of.all([...of.rows.values(), ...list.rows]))} /> {w.bulk.all}
		</label>
	);
}
