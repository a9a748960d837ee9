// SPDX-License-Identifier: MIT
// The figures of a period by what the emails have in common.
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { nameUse } from '../../api/choices';
import { domainsQuery } from '../../api/domains';
import { Choice } from '../../parts/field';
import { Empty, Ready } from '../../parts/state';
import { Table } from '../../parts/table';
import { numberText, shareText } from '../../parts/time';
import { idnText } from '../../parts/idn';
import { w } from '../../words';
import { breakdownQuery, groups, shown, type Group } from './query';

const most = 20;

export default function Breakdown({ days }: { days: number }) {
	const [group, setGroup] = useState<Group>('domain');
	const figures = useQuery(breakdownQuery(group, days));
	const names = { template: nameUse('templates'), broadcast: nameUse('broadcasts') };
	const domains = useQuery(domainsQuery).data ?? [];
	const nameOf = (key: string, name?: string) => {
		if (group === 'stream') return w.streams.names[key as 'broadcast'] ?? key;
		if (group === 'domain') return idnText(domains.find(({ id }) => id === key)?.name ?? key);
		return name ?? (group === 'template' || group === 'broadcast' ? names[group](key) : key);
	};
	return (
		<section className="section">
			<div className="filters">
				<Choice label={w.overview.by} value={group} onChange={(event) => setGroup(event.target.value as Group)} options={groups.map((value) => ({ value, name: w.overview.groups[value] }))} />
			</div>
			<Ready of={figures}>
				{(rows) =>
					rows.length ? (
						<Table
							label={w.overview.by}
							rows={rows.slice(0, most)}
							id={({ key }) => key ?? ''}
							columns={[
								{ name: w.overview.groups[group], cell: ({ key, name }) => nameOf(key ?? '', name) },
								...([...shown, 'replied'] as const).map((name) => ({ name: w.figure[name], cell: (row: (typeof rows)[0]) => (name === 'sent' ? numberText(row.sent) : `${numberText(row[name])} (${shareText(row[name], row.sent)})`) })),
							]}
						/>
					) : (
						<Empty title={w.overview.empty} />
					)
				}
			</Ready>
		</section>
	);
}
