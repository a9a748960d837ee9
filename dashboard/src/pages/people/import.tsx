// SPDX-License-Identifier: MIT
// Imports people from a file: its columns, where they go, how far it is, and each line that was refused.
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState, type FormEvent } from 'react';
import { choicesUse, propertiesQuery } from '../../api/choices';
import { csvLine, csvRead, fileSave, type CsvRecord } from '../../api/csv';
import { Button } from '../../parts/button';
import { Choice, Field, said } from '../../parts/field';
import { Head } from '../../parts/head';
import { Table } from '../../parts/table';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import { fields, importRun, useOf, type Duplicates, type Tally, type Use, type Wish } from './importing';

interface File {
	header: CsvRecord;
	records: CsvRecord[];
}

export default function Import() {
	const [file, setFile] = useState<File | null>(null);
	const [wish, setWish] = useState<Wish | null>(null);
	const [why, setWhy] = useState('');
	const take = async (chosen: Blob | undefined) => {
		const records = chosen ? csvRead(await chosen.text()) : [];
		setWhy(chosen && records.length < 2 ? w.people.importEmpty : '');
		setFile(records.length < 2 ? null : { header: records[0], records: records.slice(1) });
	};
	return (
		<>
			<Head title={w.people.import} text={w.people.importText} back={{ to: '/people', name: w.people.name }} />
			{!wish && <Field label={w.people.file} help={w.people.fileHelp} type="file" accept=".csv,.tsv,.txt,text/csv" onChange={(event) => void take(event.target.files?.[0])} />}
			{why && (
				<p className="error" role="alert">
					{why}
				</p>
			)}
			{file && !wish && <Columns file={file} onStart={setWish} />}
			{file && wish && (
				<Progress
					header={file.header}
					wish={wish}
					onAgain={() => {
						setWish(null);
						setFile(null);
					}}
				/>
			)}
		</>
	);
}

function Columns({ file: { header, records }, onStart }: { file: File; onStart: (wish: Wish) => void }) {
	const [uses, setUses] = useState<Use[]>(() => header.fields.map(useOf));
	useEffect(() => setUses(header.fields.map(useOf)), [header]);
	const audiences = choicesUse('audiences');
	const properties = useQuery(propertiesQuery).data ?? [];
	const submit = (event: FormEvent<HTMLFormElement>) => {
		event.preventDefault();
		const values = new FormData(event.currentTarget);
		onStart({ records, uses, audience: said(values, 'audience'), duplicates: said(values, 'duplicates') as Duplicates, properties });
	};
	return (
		<form className="stack" onSubmit={submit}>
			<Table
				label={w.people.columns}
				rows={header.fields.map((name, index) => ({ name, index }))}
				id={({ index }) => String(index)}
				columns={[
					{ name: w.people.column, cell: ({ name }) => name || '–' },
					{ name: w.people.sample, minor: true, cell: ({ index }) => records[0].fields[index] ?? '' },
					{
						name: w.people.takenAs,
						cell: ({ name, index }) => (
							<select
								aria-label={w.people.takenAsOf(name)}
								value={uses[index]}
								onChange={(event) => setUses(uses.map((use, at) => (at === index ? (event.target.value as Use) : use)))}
							>
								{optionsOf(name).map(([value, words]) => (
									<option key={value} value={value}>
										{words}
									</option>
								))}
							</select>
						),
					},
				]}
			/>
			<div className="filters">
				<Choice label={w.people.into} name="audience" options={[{ value: '', name: w.people.intoNone }, ...audiences.map(({ id, name }) => ({ value: id, name }))]} />
				<Choice
					label={w.people.duplicates}
					name="duplicates"
					options={(['update', 'skip', 'refuse'] as const).map((value) => ({ value, name: w.people.duplicateWays[value] }))}
				/>
			</div>
			<p className="help">{w.people.importHelp}</p>
			{!uses.includes('email') && (
				<p className="error" role="alert">
					{w.people.noEmailColumn}
				</p>
			)}
			<div>
				<Button type="submit" look="main" disabled={!uses.includes('email')}>
					{w.people.importStart(numberText(records.length))}
				</Button>
			</div>
		</form>
	);
}

function optionsOf(name: string): [Use, string][] {
	const key = name.trim().replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(\d)/, '_$1').slice(0, 50) || 'column';
	return [['', w.people.leaveOut], ...fields.map((field): [Use, string] => [field, w.people.fieldNames[field]]), [`property:${key}`, w.people.asProperty(key)]];
}

const shown = 200;

function Progress({ header, wish, onAgain }: { header: CsvRecord; wish: Wish; onAgain: () => void }) {
	const data = useQueryClient();
	const tally = useRef<Tally>({ done: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, kept: 0, refused: [] });
	const stop = useRef(new AbortController());
	const [state, setState] = useState<'runs' | 'ended' | 'stopped'>('runs');
	const [why, setWhy] = useState('');
	const [, show] = useState(0);
	useEffect(() => {
		const stopping = new AbortController();
		stop.current = stopping;
		tally.current = { done: 0, created: 0, updated: 0, unchanged: 0, skipped: 0, kept: 0, refused: [] };
		const timer = setInterval(() => show((count) => count + 1), 150);
		const stay = (event: BeforeUnloadEvent) => event.preventDefault();
		addEventListener('beforeunload', stay);
		const end = () => {
			clearInterval(timer);
			removeEventListener('beforeunload', stay);
		};
		importRun(wish, tally.current, stopping.signal)
			.then(() => setState(stopping.signal.aborted ? 'stopped' : 'ended'))
			.catch((fault: Error) => {
				stopping.abort();
				setWhy(fault.message);
				setState('stopped');
			})
			.finally(() => {
				end();
				for (const key of ['people', 'contacts', 'audience', 'audiences']) void data.invalidateQueries({ queryKey: [key] });
			});
		return () => {
			end();
			stopping.abort();
		};
	}, [wish, data]);
	const { done, created, updated, unchanged, skipped, kept, refused } = tally.current;
	const all = wish.records.length;
	const parts: [string, number][] = [[w.people.created_, created], [w.people.updated, updated], [w.people.unchanged, unchanged], [w.people.skipped, skipped], [w.people.kept, kept], [w.people.refused, refused.length]];
	return (
		<div className="stack" aria-busy={state === 'runs'}>
			<label className="progress">
				<span>{w.people.progress(numberText(done), numberText(all))}</span>
				<progress value={done} max={all} />
			</label>
			{state !== 'runs' && (
				<p role="status">
					<strong>{state === 'ended' ? w.people.importDone : w.people.importStopped}</strong> {why}
				</p>
			)}
			<dl className="card cards">
				{parts.map(([name, value]) => (
					<div className="figure" key={name}>
						<dt>{name}</dt>
						<dd>{numberText(value)}</dd>
					</div>
				))}
			</dl>
			<div className="row">
				{state === 'runs' ? <Button onClick={() => stop.current.abort()}>{w.people.importStop}</Button> : <Button onClick={onAgain}>{w.people.importAgain}</Button>}
				{refused.length > 0 && state !== 'runs' && (
					<Button onClick={() => fileSave('refused.csv', [csvLine([...header.fields, 'error']), ...refused.map(({ record, why }) => csvLine([...record.fields, why]))])}>{w.people.saveRefused}</Button>
				)}
			</div>
			{refused.length > 0 && (
				<section className="section">
					<h2>{w.people.refusedLines}</h2>
					<Table
						label={w.people.refusedLines}
						rows={refused.slice(0, shown)}
						id={({ record }) => String(record.line)}
						columns={[
							{ name: w.people.line, cell: ({ record }) => numberText(record.line) },
							{ name: w.people.email, cell: ({ record }) => record.fields[wish.uses.indexOf('email')] ?? '' },
							{ name: w.people.why, cell: ({ why }) => why },
						]}
					/>
					{refused.length > shown && <p className="soft">{w.people.firstOf(shown)}</p>}
				</section>
			)}
		</div>
	);
}
