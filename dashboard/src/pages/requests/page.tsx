// SPDX-License-Identifier: MIT
// Requests: what programs asked, and what was refused.
import { useSearchParams } from 'wouter';
import { Badge } from '../../parts/badge';
import { Choice } from '../../parts/field';
import { Head } from '../../parts/head';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { outcomes, requestsUse } from './query';

export default function Requests() {
	const [search, setSearch] = useSearchParams();
	const outcome = outcomes.find((one) => one === search.get('status'));
	const list = requestsUse(outcome);
	const choose = (next: string) => setSearch(next ? { status: next } : {});
	return (
		<>
			<Head title={w.requests.name} text={w.requests.text} />
			<div className="filters" role="search">
				<Choice
					label={w.requests.status}
					value={outcome ?? ''}
					onChange={(event) => choose(event.target.value)}
					options={[{ value: '', name: w.requests.any }, ...outcomes.map((value) => ({ value, name: w.requests.outcomes[value] }))]}
				/>
			</div>
			<ListTable
				label={w.requests.name}
				list={list}
				id={({ id }) => id}
				empty={
					<Empty title={w.requests.empty}>
						<p>{w.requests.emptyText}</p>
					</Empty>
				}
				columns={[
					{ name: w.requests.when, cell: ({ timestamp }) => <Time at={timestamp} /> },
					{ name: w.requests.request, cell: ({ method, route, request_id }) => <code title={request_id ?? undefined}>{`${method} ${route}`}</code> },
					{ name: w.requests.status, cell: ({ status, message }) => <><Badge tone={toneOf(status)}>{status}</Badge> <span className="reply">{message}</span></> },
					{ name: w.requests.actor, minor: true, cell: ({ actor }) => actor?.name ?? '–' },
					{ name: w.requests.ms, minor: true, cell: ({ ms }) => `${numberText(ms)} ms` },
					{ name: w.requests.address, minor: true, cell: ({ address }) => address ?? '–' },
				]}
			/>
		</>
	);
}

const toneOf = (status: number) => (status >= 500 ? 'bad' : status >= 400 ? 'warn' : 'good');
