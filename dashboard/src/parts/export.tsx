// SPDX-License-Identifier: MIT
// Saves all of a list as a file, page by page. It goes on while its reader looks at other pages of the workspace, and can be cancelled.
import { useRef, useSyncExternalStore } from 'react';
import { csvLine, fileSave } from '../api/csv';
import { workspaceHeld, workspaceHere } from '../api/client';
import type { PageOf } from '../api/list';
import { w } from '../words';
import { Button } from './button';
import { noticeUse } from './notice';

export interface ExportFile<Row> {
	name: string;
	/** The columns that these rows have. */
	columns: (rows: Row[]) => { name: string; value: (row: Row) => string }[];
}

interface Running {
	count: number;
	stop: AbortController;
}

/** By the workspace and the path of the list. */
const running = new Map<string, Running>();
const listeners = new Set<() => void>();
const subscribe = (listener: () => void) => {
	listeners.add(listener);
	return () => void listeners.delete(listener);
};

/** While a file is not whole, the browser asks before it closes the page. */
const keep = (event: BeforeUnloadEvent) => event.preventDefault();

function put(key: string, now: Running | null) {
	if (now) running.set(key, now);
	else running.delete(key);
	if (running.size) addEventListener('beforeunload', keep);
	else removeEventListener('beforeunload', keep);
	for (const listener of listeners) listener();
}

/** So many rows wait together, outside of the memory of scripts, until all columns are known. */
const together = 1_000;

async function exportRun<Row>({ name, columns }: ExportFile<Row>, page: (cursor: string | undefined) => Promise<PageOf<Row>>, tell: (count: number) => void, stop: AbortSignal) {
	const held = workspaceHeld();
	const names = new Set<string>();
	const chunks: Blob[] = [];
	let rows: Row[] = [];
	let count = 0;
	let cursor: string | undefined;
	do {
		const some = await page(cursor);
		if (stop.aborted) return;
		held();
		rows.push(...some.rows);
		tell((count += some.rows.length));
		cursor = some.cursor ?? undefined;
		if (cursor && rows.length < together) continue;
		for (const column of columns(rows)) names.add(column.name);
		chunks.push(new Blob([JSON.stringify(rows)]));
		rows = [];
	} while (cursor);
	const parts: BlobPart[] = [csvLine([...names])];
	for (const chunk of chunks) {
		const read = JSON.parse(await chunk.text()) as Row[];
		const values = new Map(columns(read).map((column) => [column.name, column.value]));
		parts.push(new Blob(read.map((row) => csvLine([...names].map((name) => values.get(name)?.(row) ?? '')))));
	}
	if (!stop.aborted) fileSave(name, parts);
}

interface Props<Row> {
	/** The list with its filters, as the service takes it. */
	path: string;
	page: (cursor: string | undefined) => Promise<PageOf<Row>>;
	file: ExportFile<Row>;
	look?: 'quiet';
}

export function ExportButton<Row>({ path, page, file, look }: Props<Row>) {
	const notice = noticeUse();
	const key = `${workspaceHere()} ${path}`;
	const now = useSyncExternalStore(subscribe, () => running.get(key));
	const button = useRef<HTMLButtonElement>(null);
	const run = async () => {
		const stop = new AbortController();
		// Once it is cancelled, the place may be another run's.
		const tell = (now: Running | null) => running.get(key)?.stop === stop && put(key, now);
		put(key, { count: 0, stop });
		try {
			await exportRun(file, page, (count) => tell({ count, stop }), stop.signal);
		} catch (why) {
			if (!stop.signal.aborted) notice((why as Error).message, 'bad');
		} finally {
			tell(null);
		}
	};
	const cancel = () => {
		now?.stop.abort();
		put(key, null);
		button.current?.focus();
	};
	return (
		<>
			<Button ref={button} look={look} busy={now !== undefined} onClick={() => void run()}>
				{now?.count ? w.bulk.reading(now.count) : w.people.export}
			</Button>
			{now && (
				<Button look="quiet" onClick={cancel}>
					{w.do.cancel}
				</Button>
			)}
		</>
	);
}
