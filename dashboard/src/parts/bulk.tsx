// SPDX-License-Identifier: MIT
// What can be done with the people that are picked in a list. Each dialog says how many they are; what can be undone is.
import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useReducer, useState } from 'react';
import { BulkFailure, bulkGoOn, bulkRun, contrary, listCount, restKeep, restPlace, restRead, type BulkAction, type BulkBy, type BulkChange, type BulkOutcome, type BulkPeople, type BulkRest } from '../api/bulk';
import { choicesQuery, choicesUse } from '../api/choices';
import { csvLine, fileSave } from '../api/csv';
import { faultText } from '../api/faults';
import type { List, PageOf } from '../api/list';
import { isOwnerUse, mayChangeUse, sessionUse } from '../api/session';
import { w } from '../words';
import { Button } from './button';
import { FormButton } from './dialog';
import { ExportButton, type ExportFile } from './export';
import { Choice, Field, said } from './field';
import { noticeUse } from './notice';
import { PickAll, type Picked } from './picked';
import { numberText } from './time';

interface Props<Row> {
	of: Picked<Row>;
	list: List<Row>;
	/** The list with its filters, as the service takes it. */
	path: string;
	/** Reads a page of all that fit. */
	page: (cursor: string | undefined) => Promise<PageOf<Row>>;
	/** The addresses of a row. */
	emails: (row: Row) => string[];
	/** Says for whom a change of all that fit is, of whose rows there are so many. */
	fit?: (count: number) => string;
	/** The columns of the file that rows are saved as. */
	file: ExportFile<Row>;
	actions: BulkAction[];
	/** The audience of the list, which is offered first. */
	audience?: string;
}

export function Bulk<Row>({ of, list, path, page, emails, fit = w.bulk.fit, file, actions, audience }: Props<Row>) {
	const may = mayChangeUse();
	const owner = isOwnerUse();
	const { outcome, run, goOn, drop, rest, undo, close, done } = runUse(path, of.none);
	const [reading, setReading] = useState<number | null>(null);
	const notice = noticeUse();
	const rows = [...of.rows.values()];
	const named = [...new Set(rows.flatMap(emails))];
	const people: BulkPeople = of.fit === null ? { emails: named } : { list: path, count: of.fit };
	const count = of.fit ?? named.length;
	const wait = async (what: () => Promise<void>) => {
		setReading(0);
		try {
			await what();
		} catch (why) {
			notice((why as Error).message, 'bad');
		} finally {
			setReading(null);
		}
	};
	const pickAll = () => wait(async () => of.whole(list.rows, await listCount(path, setReading)));
	const save = () => {
		const columns = file.columns(rows);
		fileSave(file.name, [csvLine(columns.map(({ name }) => name)), ...rows.map((row) => csvLine(columns.map(({ value }) => value(row))))]);
	};
	const offered = actions.filter((action) => may && (action !== 'erase' || owner));
	return (
		<>
			{list.rows.length > 0 && (
				<div className="bulk" role="group" aria-label={w.bulk.name} inert={list.isPlaceholderData}>
					<PickAll of={of} list={list} />
					{rows.length > 0 && (
						<>
							<span role="status">{done === null ? w.bulk.picked(of.fit ?? rows.length) : w.bulk.progress(done)}</span>
							{list.hasNextPage && of.fit === null && (
								<Button look="quiet" busy={reading !== null} onClick={() => void pickAll()}>
									{reading ? w.bulk.reading(reading) : w.bulk.allThatFit}
								</Button>
							)}
							<div className="bulk-acts">
								{offered.map((action) => (
									<Act key={action} action={action} count={count} text={(of.fit === null ? w.bulk.people : fit)(count)} audience={audience} onRun={(change) => run(change, people)} />
								))}
								{of.fit === null ? (
									<Button look="quiet" onClick={save}>
										{w.people.export}
									</Button>
								) : (
									<ExportButton look="quiet" path={path} page={page} file={file} />
								)}
							</div>
						</>
					)}
				</div>
			)}
			{rest && done === null && (
				<div className="card bulk-done" role="group" aria-label={w.bulk.stopped}>
					<span>{w.bulk.rest(w.bulk.actions[rest.change.action], numberText(rest.done), numberText(rest.count))}</span>
					{rest.change.action === 'erase'
						? owner && <Act name={w.bulk.goOn} action="erase" count={restCount(rest)} text={fit(restCount(rest))} onRun={async () => goOn()} />
						: may && (
								<Button look="main" onClick={goOn}>
									{w.bulk.goOn}
								</Button>
							)}
					<Button look="quiet" onClick={drop}>
						{w.bulk.drop}
					</Button>
				</div>
			)}
			{outcome && <Outcome outcome={outcome.result} onUndo={outcome.result.undo.length && contrary[outcome.change.action] ? undo : undefined} onClose={close} />}
		</>
	);
}

const restCount = ({ count, done }: BulkRest) => Math.max(0, count - done);

/** Runs changes, one at a time, and keeps the outcome of the last. */
function runUse(path: string, onDone: () => void) {
	const data = useQueryClient();
	const notice = noticeUse();
	const { user, workspace } = sessionUse();
	const [leaving] = useState(() => new AbortController());
	const [done, setDone] = useState<number | null>(null);
	useEffect(() => () => leaving.abort(), [leaving]);
	// The browser asks before it closes the page: what is left of a change would wait for its reader.
	useEffect(() => {
		const keep = (event: BeforeUnloadEvent) => event.preventDefault();
		if (done !== null) addEventListener('beforeunload', keep);
		return () => removeEventListener('beforeunload', keep);
	}, [done]);
	const by: BulkBy = { user: user.id, workspace: workspace.id, left: leaving.signal };
	const place = restPlace(by, path);
	const [outcome, setOutcome] = useState<{ place: string; change: BulkChange; result: BulkOutcome } | null>(null);
	const [, look] = useReducer((times: number) => times + 1, 0);
	const rest = restRead(place);
	const start = async (change: BulkChange, work: () => Promise<BulkOutcome>) => {
		setDone(0);
		setOutcome(null);
		try {
			setOutcome({ place, change, result: await work() });
			onDone();
		} catch (why) {
			if (why instanceof BulkFailure && why.done) setOutcome({ place, change, result: why.outcome });
			throw why;
		} finally {
			setDone(null);
			for (const key of ['people', 'person', 'history', 'contacts', 'audience', 'audiences', 'suppressions', 'emails']) void data.invalidateQueries({ queryKey: [key] });
		}
	};
	const run = (change: BulkChange, people: BulkPeople) => start(change, () => bulkRun(by, change, people, setDone));
	const goOn = async (rest: BulkRest) => {
		try {
			await start(rest.change, () => bulkGoOn(by, path, rest, setDone));
		} catch (why) {
			notice((why as Error).message, 'bad');
		}
	};
	const drop = () => {
		restKeep(place, null);
		look();
	};
	const undo = async () => {
		if (!outcome) return;
		const action = contrary[outcome.change.action]!;
		try {
			// Those who are changed back are not to be changed after all.
			restKeep(outcome.place, null);
			await run({ ...outcome.change, action }, { emails: outcome.result.undo });
			setOutcome(null);
			notice(w.bulk.undone);
		} catch (why) {
			const rest = outcome.result.undo.slice(why instanceof BulkFailure ? why.done : 0);
			setOutcome({ ...outcome, result: { ...outcome.result, undo: rest } });
			notice((why as Error).message, 'bad');
		}
	};
	return { outcome, run, rest, goOn: () => void (rest && goOn(rest)), drop, undo: () => void undo(), close: () => setOutcome(null), done };
}

interface ActProps {
	action: BulkAction;
	/** What its button is called; else as the action. */
	name?: string;
	count: number;
	/** For whom it is. */
	text: string;
	audience?: string;
	onRun: (change: BulkChange) => Promise<void>;
}

function Act({ action, name = w.bulk.actions[action], count, text, audience, onRun }: ActProps) {
	const data = useQueryClient();
	const notice = noticeUse();
	const kind = isOfAudience(action) ? 'audiences' : isOfTopic(action) ? 'topics' : null;
	// Without them the form would say that there are none.
	const known = (of: 'audiences' | 'topics') =>
		data.ensureQueryData(choicesQuery(of)).catch((why: Error) => {
			notice(why.message, 'bad');
			throw why;
		});
	const submit = (values: FormData) => {
		if (action === 'erase' && said(values, 'count').replace(/\D/g, '') !== String(count)) throw new Error(w.bulk.otherNumber);
		const target = said(values, 'target');
		if (kind && !target) throw new Error(w[kind].empty);
		return onRun({ action, ...(isOfAudience(action) ? { audience_id: target } : isOfTopic(action) ? { topic_id: target } : {}) });
	};
	return (
		<FormButton look={action === 'erase' ? 'bad' : 'quiet'} name={name} title={w.bulk.actions[action]} action={w.bulk.actions[action]} before={kind ? () => known(kind) : undefined} onSubmit={async (values) => submit(values)}>
			<p>{text}</p>
			<p className="soft">{w.bulk.texts[action]}</p>
			{kind && <Target kind={kind} first={audience} />}
			{action === 'erase' && <Field label={w.bulk.typeNumber(numberText(count))} name="count" inputMode="numeric" required />}
		</FormButton>
	);
}

const isOfAudience = (action: BulkAction) => action === 'add' || action === 'remove';
const isOfTopic = (action: BulkAction) => action === 'join' || action === 'leave';

function Target({ kind, first }: { kind: 'audiences' | 'topics'; first?: string }) {
	const rows = choicesUse(kind);
	if (!rows.length) return <p className="error">{w[kind].empty}</p>;
	return <Choice key={rows.length} label={kind === 'audiences' ? w.audiences.audience : w.topics.topic} name="target" defaultValue={first} options={rows.map(({ id, name }) => ({ value: id, name }))} />;
}

const shown = 200;

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
					{failed.slice(0, shown).map(({ email, message }) => (
						<li key={email}>
							{email}: {faultText(message)}
						</li>
					))}
				</ul>
			)}
		</div>
	);
}
