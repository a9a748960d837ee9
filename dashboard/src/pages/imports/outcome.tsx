// SPDX-License-Identifier: MIT
// The result of an import so far: the lines by what became of them, and their faults.
import { useState } from 'react';
import { faultText } from '../../api/faults';
import { Button } from '../../parts/button';
import { noticeUse } from '../../parts/notice';
import { ListTable } from '../../parts/table';
import { numberText } from '../../parts/time';
import { w } from '../../words';
import { faultsUse, moves, refusedSave, type Counts, type Import } from './query';

const shown = ['lines', 'added', 'changed', 'same', 'refused', 'kept_choice'] as const satisfies readonly (keyof Counts)[];

export function Outcome({ of }: { of: Import }) {
	return (
		<div className="stack">
			{moves(of) && (
				<label className="progress">
					<span role="status">{w.imports.progress(of.counts.lines)}</span>
					<progress />
				</label>
			)}
			{of.error && (
				<p className="error" role="alert">
					{faultText(of.error)}
				</p>
			)}
			<dl className="card cards">
				{shown.map((name) => (
					<div className="figure" key={name}>
						<dt>{w.imports.counts[name]}</dt>
						<dd>{numberText(of.counts[name])}</dd>
					</div>
				))}
			</dl>
			{!moves(of) && <Faults of={of} />}
		</div>
	);
}

/** The lines that were refused, and those of which a value was left out. */
function Faults({ of }: { of: Import }) {
	const list = faultsUse(of);
	return (
		<ListTable
			label={w.imports.faults}
			list={list}
			id={({ line }) => String(line)}
			empty={<p className="soft">{w.imports.noFaults}</p>}
			head={
				<div className="bar">
					<h2>{w.imports.faults}</h2>
					{of.counts.refused > 0 && <Save id={of.id} />}
				</div>
			}
			columns={[
				{ name: w.imports.line, cell: ({ line }) => numberText(line) },
				{ name: w.imports.why, cell: ({ message, refused }) => (refused ? faultText(message) : <>{faultText(message)} <span className="soft">{w.imports.taken}</span></>) },
			]}
		/>
	);
}

function Save({ id }: { id: string }) {
	const [busy, setBusy] = useState(false);
	const notice = noticeUse();
	const save = async () => {
		setBusy(true);
		try {
			await refusedSave(id);
		} catch (why) {
			notice((why as Error).message, 'bad');
		} finally {
			setBusy(false);
		}
	};
	return (
		<Button busy={busy} onClick={() => void save()}>
			{w.imports.saveRefused}
		</Button>
	);
}
