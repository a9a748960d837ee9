// SPDX-License-Identifier: MIT
// What can be done with the people that are picked in a list. Each dialog says how many they are; what can be undone is.
import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { BulkFailure, bulkRun, contrary, type BulkAction, type BulkChange, type BulkOutcome } from '../api/bulk';
import { choicesUse } from '../api/choices';
import { csvLine, fileSave } from '../api/csv';
import { faultText } from '../api/faults';
import type { List, PageOf } from '../api/list';
import { isOwnerUse, mayChangeUse } from '../api/session';
import { w } from '../words';
import { Button } from './button';
import { FormButton } from './dialog';
import { Choice, Field, said } from './field';
import { noticeUse } from './notice';
import { PickAll, readAll, type Picked } from './picked';
import { numberText } from './time';

interface Props<Row> {
	of: Picked<Row>;
	list: List<Row>;
	/** Reads a page of all that fit. */
	page: (cursor: string | undefined) => Promise<PageOf<Row>>;
	/** The addresses of a row. */
	emails: (row: Row) => string[];
	/** The columns of the file that rows are saved as. */
	file: { name: string; columns: (rows: Row[]) => { name: string; value: (row: Row) => string }[] };
	actions: BulkAction[];
	/** The audience of the list, which is offered first. */
	audience?: string;
}

export function Bulk<Row>({ of, list, page, emails, file, actions, audience }: Props<Row>) {
	const may = mayChangeUse();
	const owner = isOwnerUse();
	const { outcome, run, undo, close, done } = runUse(of.none);
	const [reading, setReading] = useState<number | null>(null);
	const notice = noticeUse();
	const rows = [...of.rows.values()];
	const people = [...new Set(rows.flatMap(emails))];
	const pickAll = async () => {
		setReading(0);
		try {
			of.all(await readAll(page, setReading));
		} catch (why) {
			notice((why as Error).message, 'bad');
		} finally {
			setReading(null);
		}
	};
	const save = () => {
		const columns = file.columns(rows);
		fileSave(file.name, [csvLine(columns.map(({ name }) => name)), ...rows.map((row) => csvLine(columns.map(({ value }) => value(row))))]);
	};
	const offered = actions.filter((action) => may && (action !== 'erase' || owner));
	return (
		<>
			{list.rows.length > 0 && (
				<div className="bulk" role="group" aria-label={w.bulk.name}>
					<PickAll of={of} list={list} />
					{rows.length > 0 && (
						<>
							<span role="status">{done === null ? w.bulk.picked(rows.length) : w.bulk.progress(done)}</span>
							{list.hasNextPage && (
								<Button look="quiet" busy={reading !== null} onClick={() => void pickAll()}>
									{reading ? w.bulk.reading(reading) : w.bulk.allThatFit}
								</Button>
							)}
							<div className="bulk-acts">
								{offered.map((action) => (
									<Act key={action} action={action} count={people.length} audience={audience} onRun={(change) => run(change, people)} />
								))}
								<Button look="quiet" onClick={save}>
									{w.people.export}
								</Button>
							</div>
						</>
					)}
				</div>
			)}
			{outcome && <Outcome outcome={outcome.result} onUndo={outcome.result.undo.length && contrary[outcome.change.action] ? undo : undefined} onClose={close} />}
		</>
	);
}

/** Runs changes, one at a time, and keeps the outcome of the last. */
function runUse(onDone: () => void) {
	const data = useQueryClient();
	const notice = noticeUse();
	const [outcome, setOutcome] = useState<{ change: BulkChange; result: BulkOutcome } | null>(null);
	const [done, setDone] = useState<number | null>(null);
	const run = async (change: BulkChange, emails: string[]) => {
		setDone(0);
		setOutcome(null);
		try {
			const result = await bulkRun(change, emails, setDone);
			setOutcome({ change, result });
			onDone();
		} catch (why) {
			if (why instanceof BulkFailure && why.done) setOutcome({ change, result: why.outcome });
			throw why;
		} finally {
			setDone(null);
			for (const key of ['people', 'person', 'history', 'contacts', 'audience', 'audiences', 'suppressions', 'emails']) void data.invalidateQueries({ queryKey: [key] });
		}
	};
	const undo = async () => {
		if (!outcome) return;
		const action = contrary[outcome.change.action]!;
		try {
			await run({ ...outcome.change, action }, outcome.result.undo);
			setOutcome(null);
			notice(w.bulk.undone);
		} catch (why) {
			const rest = outcome.result.undo.slice(why instanceof BulkFailure ? why.done : 0);
			setOutcome({ ...outcome, result: { ...outcome.result, undo: rest } });
			notice((why as Error).message, 'bad');
		}
	};
	return { outcome, run, undo: () => void undo(), close: () => setOutcome(null), done };
}

function Act({ action, count, audience, onRun }: { action: BulkAction; count: number; audience?: string; onRun: (change: BulkChange) => Promise<void> }) {
	const submit = (values: FormData) => {
		if (action === 'erase' && said(values, 'count').replace(/\D/g, '') !== String(count)) throw new Error(w.bulk.otherNumber);
		const target = said(values, 'target');
		return onRun({ action, ...(isOfAudience(action) ? { audience_id: target } : isOfTopic(action) ? { topic_id: target } : {}) });
	};
	return (
		<FormButton look={action === 'erase' ? 'bad' : 'quiet'} name={w.bulk.actions[action]} title={w.bulk.actions[action]} action={w.bulk.actions[action]} onSubmit={async (values) => submit(values)}>
			<p>{w.bulk.people(count)}</p>
			<p className="soft">{w.bulk.texts[action]}</p>
			{(isOfAudience(action) || isOfTopic(action)) && <Target kind={isOfAudience(action) ? 'audiences' : 'topics'} first={audience} />}
			{action === 'erase' && <Field label={w.bulk.typeNumber(numberText(count))} name="count" inputMode="numeric" required />}
		</FormButton>
	);
}

const isOfAudience = (action: BulkAction) => action === 'add' || action === 'remove';
const isOfTopic = (action: BulkAction) => action === 'join' || action === 'leave';

function Target({ kind, first }: { kind: 'audiences' | 'topics'; first?: string }) {
	const rows = choicesUse(kind);
	if (!rows.length) return <p className="error">{kind === 'audiences' ? w.audiences.empty : w.topics.empty}</p>;
	return <Choice key={rows.length} label={kind === 'audiences' ? w.audiences.audience : w.topics.topic} name="target" defaultValue={first} options={rows.map(({ id, name }) => ({ value: id, name }))} />;
}

function Outcome({ outcome: { changed, unchanged, failed }, onUndo, onClose }: { outcome: BulkOutcome; onUndo?: () => void; onClose: () => void }) {
	return (
		<div className="card">
			<div className="bulk-done">
				<span role="status">{[w.bulk.changed(changed), unchanged && w.bulk.unchanged(unchanged), failed.length && w.bulk.failed(failed.length)].filter(Boolean).join(' ')}</span>
				{onUndo && <Button onClick={onUndo}>{w.bulk.undo}</Button>}
				<Button look="quiet" onClick={onClose}>
					{w.do.close}
				</Button>
			</div>
			{failed.length > 0 && (
				<ul className="bulk-failed">
					{failed.map(({ email, message }) => (
						<li key={email}>
							{email}: {faultText(message)}
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
