// SPDX-License-Identifier: MIT
// Requests: what programs asked, and what was refused.
import { Badge } from '../../parts/badge';
import { Choice, Field } from '../../parts/field';
import { FilterForm, filtersUse } from '../../parts/filter-form';
import { Head } from '../../parts/head';
import { SavedFilters } from '../../parts/saved-filters';
import { Empty } from '../../parts/state';
import { ListTable } from '../../parts/table';
import { numberText, Time } from '../../parts/time';
import { w } from '../../words';
import { actorsUse, filterNames, methods, outcomes, requestsUse } from './query';

export default function Requests() {
	const of = filtersUse(filterNames);
	const { filters } = of;
	const list = requestsUse(filters);
	const actors = actorsUse();
	return (
		<>
			<Head title={w.requests.name} text={w.requests.text} />
			<FilterForm of={of}>
				<Choice
					label={w.requests.status}
					name="status"
					defaultValue={filters.status ?? ''}
					onChange={(event) => event.target.form?.requestSubmit()}
					options={[{ value: '', name: w.requests.any }, ...outcomes.map((value) => ({ value, name: w.requests.outcomes[value] }))]}
				/>
				<Field label={w.requests.code} name="code" type="number" min={100} max={599} defaultValue={filters.code} />
				<Choice
					label={w.requests.method}
					name="method"
					defaultValue={filters.method ?? ''}
					options={[{ value: '', name: w.requests.anyMethod }, ...methods.map((value) => ({ value, name: value }))]}
				/>
				<Field label={w.requests.route} name="route" placeholder="/v1/emails" pattern="[ -~]*" maxLength={128} defaultValue={filters.route} />
				<Choice
					key={actors.length}
					label={w.requests.actor}
					name="actor"
					defaultValue={filters.actor ?? ''}
					options={[{ value: '', name: w.requests.anybody }, ...actors]}
				/>
				<Field label={w.requests.since} name="since" type="datetime-local" defaultValue={filters.since} />
				<Field label={w.requests.until} name="until" type="datetime-local" defaultValue={filters.until} />
			</FilterForm>
			<SavedFilters list="requests" of={of} />
			<ListTable
				label={w.requests.name}
				list={list}
				id={({ id }) => id}
				empty={
					of.isSet ? (
						<Empty title={w.state.nothingFits} />
					) : (
						<Empty title={w.requests.empty}>
							<p>{w.requests.emptyText}</p>
						</Empty>
					)
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
