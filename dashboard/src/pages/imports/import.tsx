// SPDX-License-Identifier: MIT
// One import: what became of it so far. The service does it, whether this page is open or not.
import { useQuery } from '@tanstack/react-query';
import { Link } from 'wouter';
import { choicesUse } from '../../api/choices';
import { Head } from '../../parts/head';
import { Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { Time } from '../../parts/time';
import { w } from '../../words';
import { useText } from './columns';
import { Outcome } from './outcome';
import { importQuery, type Import } from './query';
import { Status } from './status';

export default function ImportPage({ params: { id } }: { params: Record<string, string> }) {
	const asked = useQuery(importQuery(id));
	return (
		<>
			<Head title={asked.data ? asked.data.filename || w.imports.unnamed : w.imports.file} text={asked.data && <State of={asked.data} />} back={{ to: '/people/import', name: w.imports.name }} />
			<Ready of={asked}>
				{(asked) => (
					<>
						<Outcome of={asked} />
						<details>
							<summary>{w.imports.columns}</summary>
							<Table
								label={w.imports.columns}
								rows={Object.entries(asked.columns)}
								id={([name]) => name}
								columns={[
									{ name: w.imports.column, cell: ([name]) => name || '–' },
									{ name: w.imports.takenAs, cell: ([, use]) => useText(use) },
								]}
							/>
						</details>
					</>
				)}
			</Ready>
		</>
	);
}

function State({ of }: { of: Import }) {
	const audience = choicesUse('audiences').find(({ id }) => id === of.audience_id);
	return (
		<span className="row">
			<span>
				<Status of={of} />
			</span>
			<Time at={of.created} />
			{audience && <Link to={`/audiences/${audience.id}`}>{w.imports.intoNamed(audience.name)}</Link>}
		</span>
	);
}
