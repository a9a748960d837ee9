// SPDX-License-Identifier: MIT
// Imports of people: a file for a new one, and those so far with what became of them.
import { Link } from 'wouter';
import { mayChangeUse } from '../../api/session';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { importsUse } from './query';
import { Status } from './status';
import { Upload } from './upload';

export default function Imports() {
	const list = importsUse();
	return (
		<>
			<Head title={w.imports.name} text={w.imports.text} back={{ to: '/people', name: w.people.name }} />
			{mayChangeUse() && <Upload />}
			<section className="section">
				<h2>{w.imports.earlier}</h2>
				<ListTable
					label={w.imports.earlier}
					list={list}
					id={({ id }) => id}
					empty={<Empty title={w.imports.empty} />}
					columns={[
						{ name: w.imports.file, cell: ({ id, filename }) => <Link to={`/people/import/${id}`}>{filename || w.imports.unnamed}</Link> },
						{ name: w.imports.state, cell: (row) => <Status of={row} /> },
						{ name: w.imports.counts.lines, cell: ({ counts }) => numberText(counts.lines) },
						{ name: w.imports.counts.added, minor: true, cell: ({ counts }) => numberText(counts.added) },
						{ name: w.imports.counts.changed, minor: true, cell: ({ counts }) => numberText(counts.changed) },
						{ name: w.imports.counts.refused, cell: ({ counts }) => numberText(counts.refused) },
						{ name: w.imports.when, minor: true, cell: ({ created }) => <Time at={created} /> },
					]}
				/>
			</section>
		</>
	);
}
