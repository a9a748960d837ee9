// SPDX-License-Identifier: MIT
// Takes a file for an import: a trial shows its columns, its first lines and its faults; then it is imported.
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { useLocation, useSearchParams } from 'wouter';
import { choicesUse } from '../../api/choices';
import { Failure } from '../../api/client';
import { changeUse } from '../../api/list';
import { Button } from '../../parts/button';
import { Choice, Field } from '../../parts/field';
import { w } from '../../words';
import { Columns, type Sight, type Uses } from './columns';
import { Outcome } from './outcome';
import { importAsk, importQuery, type Asked, type Options, type Refused } from './query';

const most = 50 * 1024 * 1024;
const encodings = [{ value: 'utf-8', name: 'UTF-8' }, { value: 'windows-1252', name: 'Windows-1252' }, { value: 'latin1', name: 'Latin 1' }];
const separators = ['comma', 'semicolon', 'tab'] as const;
const duplicates = ['update', 'skip', 'refuse'] as const;

interface Wish {
	separator: string;
	encoding: string;
	audience: string;
	duplicates: string;
	unsubscribed: boolean;
	lenient: boolean;
	/** The uses of columns that the reader has chosen. */
	columns: Uses;
}

const first: Wish = { separator: '', encoding: 'utf-8', audience: '', duplicates: 'update', unsubscribed: false, lenient: false, columns: {} };

const optionsOf = ({ separator, encoding, audience, duplicates, unsubscribed, lenient, columns }: Wish): Options => ({
	audience_id: audience || null,
	columns: Object.fromEntries(Object.entries(columns).filter(([, use]) => use)),
	encoding,
	separator: separator || null,
	duplicates,
	unsubscribed,
	lenient,
});

/** The result of a trial: an import that stores nothing; or the reason why there is none, and the first lines all the same. */
type Trial = { asked: Asked } | { why: string; sight: Sight | null };

async function tryOut(file: File, wish: Wish): Promise<Trial> {
	if (file.size > most) return { why: w.imports.tooLarge, sight: null };
	try {
		return { asked: await importAsk(file, { ...optionsOf(wish), dry_run: true }) };
	} catch (error) {
		const { header, sample } = (error instanceof Failure && (error.answer as Partial<Refused> | null)) || {};
		// Where the service cannot say which column is which, the reader says it.
		return { why: (error as Error).message, sight: header ? { header, sample: sample ?? [], uses: {} } : null };
	}
}

export function Upload() {
	const [file, setFile] = useState<File | null>(null);
	const [search] = useSearchParams();
	/** An audience's page leads here by a link that names it. */
	const [wish, setWish] = useState({ ...first, audience: search.get('audience') ?? '' });
	const data = useQueryClient();
	const trial = useMutation({
		mutationFn: ({ file, wish }: { file: File; wish: Wish }) => tryOut(file, wish),
		onSettled: () => data.invalidateQueries({ queryKey: ['imports'] }),
	});
	/** Another file, or another way to read it, has other columns. */
	const read = (file: File | null, change: Partial<Wish>) => {
		const next = { ...wish, ...change, columns: {} };
		setFile(file);
		setWish(next);
		if (file) trial.mutate({ file, wish: next });
		else trial.reset();
	};
	return (
		<section className="card section" aria-label={w.imports.new}>
			<h2>{w.imports.new}</h2>
			<p className="help">{w.imports.fileHelp}</p>
			<div className="filters wide">
				<Field label={w.imports.file} type="file" accept=".csv,.tsv,.txt,text/csv" onChange={(event) => read(event.target.files?.[0] ?? null, {})} />
				<Choice
					label={w.imports.separator}
					value={wish.separator}
					onChange={(event) => read(file, { separator: event.target.value })}
					options={[{ value: '', name: w.imports.bySight }, ...separators.map((value) => ({ value, name: w.imports.separators[value] }))]}
				/>
				<Choice
					label={w.imports.encoding}
					value={wish.encoding}
					onChange={(event) => read(file, { encoding: event.target.value })}
					options={encodings}
				/>
			</div>
			{file && <Plan file={file} wish={wish} onWish={setWish} trial={trial.data} busy={trial.isPending} isStale={trial.variables?.wish !== wish} onTry={() => trial.mutate({ file, wish })} />}
		</section>
	);
}

interface PlanProps {
	file: File;
	wish: Wish;
	onWish: (wish: Wish) => void;
	trial: Trial | undefined;
	busy: boolean;
	/** Whether the reader has said something since the trial. */
	isStale: boolean;
	onTry: () => void;
}

function Plan({ file, wish, onWish, trial, busy, isStale, onTry }: PlanProps) {
	const audiences = choicesUse('audiences');
	const [, go] = useLocation();
	const start = changeUse(() => importAsk(file, { ...optionsOf(wish), dry_run: false }), { touches: [['imports']], then: ({ id }) => go(`/people/import/${id}`) });
	const asked = trial && 'asked' in trial ? trial.asked : null;
	const fault = trial && 'why' in trial ? trial : null;
	const sight = asked ? { header: asked.header, sample: asked.sample, uses: asked.columns } : fault?.sight;
	const check = (name: 'unsubscribed' | 'lenient', text: ReactNode) => (
		<label className="switch-row">
			<input type="checkbox" checked={wish[name]} onChange={(event) => onWish({ ...wish, [name]: event.target.checked })} /> <span>{text}</span>
		</label>
	);
	return (
		<div className="stack" aria-busy={busy}>
			{fault && (
				<p className="error" role="alert">
					{fault.why}
				</p>
			)}
			{sight && (
				<>
					<Columns sight={sight} said={wish.columns} onSay={(columns) => onWish({ ...wish, columns })} />
					<div className="filters wide">
						<Choice
							label={w.imports.into}
							value={wish.audience}
							onChange={(event) => onWish({ ...wish, audience: event.target.value })}
							options={[{ value: '', name: w.imports.intoNone }, ...audiences.map(({ id, name }) => ({ value: id, name }))]}
						/>
						<Choice
							label={w.imports.duplicates}
							value={wish.duplicates}
							onChange={(event) => onWish({ ...wish, duplicates: event.target.value })}
							options={duplicates.map((value) => ({ value, name: w.imports.duplicateWays[value] }))}
						/>
					</div>
					{check('unsubscribed', w.imports.unsubscribed)}
					{check('lenient', w.imports.lenient)}
					<p className="help">{w.imports.help}</p>
					<div className="row">
						<Button look="main" busy={start.isPending} disabled={!asked} onClick={() => start.mutate()}>
							{w.imports.start}
						</Button>
						{isStale && (
							<Button busy={busy} onClick={onTry}>
								{w.imports.tryAgain}
							</Button>
						)}
					</div>
				</>
			)}
			{asked && <Result asked={asked} isStale={isStale} />}
		</div>
	);
}

/** The counts and faults of the trial, as soon as the service has read the file. */
function Result({ asked, isStale }: { asked: Asked; isStale: boolean }) {
	const now = useQuery(importQuery(asked.id)).data ?? asked;
	return (
		<section className="section" aria-label={w.imports.trial}>
			<h3>{w.imports.trial}</h3>
			<p className="help">{isStale ? w.imports.trialOld : w.imports.trialText}</p>
			<Outcome of={now} />
		</section>
	);
}
