// SPDX-License-Identifier: MIT
// The columns of a file with their first values, and a choice of the use of each.
import { useQuery } from '@tanstack/react-query';
import { propertiesQuery } from '../../api/choices';
import { Table } from '../../parts/table';
import { w } from '../../words';

const fields = ['email', 'first_name', 'last_name', 'language', 'time_zone', 'subscribed', 'unsubscribed'] as const;
const ignored = 'ignore';
const prefix = 'properties.';

/** {NAME: USE}, as the API has it. */
export type Uses = Record<string, string>;

export interface Sight {
	header: string[];
	sample: string[][];
	/** The use of each column; of one that is not there the service has said nothing yet. */
	uses: Uses;
}

/** The use of a column in words. */
export function useText(use: string) {
	if (use.startsWith(prefix)) return w.imports.asProperty(use.slice(prefix.length));
	return (w.imports.uses as Record<string, string>)[use] ?? use;
}

/** The key of a property that a column without a known name may become. */
const keyOf = (name: string) => name.trim().replace(/^properties\./, '').replace(/[^A-Za-z0-9_]+/g, '_').replace(/^(\d)/, '_$1').slice(0, 50) || 'column';

/** The uses when one is chosen: another column that had it, and there can be one alone, is left out. */
function chosen(uses: Uses, name: string, use: string): Uses {
	const others = Object.entries(uses).filter(([other, its]) => other !== name && use && use !== ignored && its === use);
	return { ...Object.fromEntries(others.map(([other]) => [other, ignored])), [name]: use };
}

export function Columns({ sight: { header, sample, uses }, said, onSay }: { sight: Sight; said: Uses; onSay: (said: Uses) => void }) {
	const properties = useQuery(propertiesQuery).data ?? [];
	const now = { ...uses, ...said };
	const names = header.map((name, index) => ({ name, index })).filter(({ name, index }) => header.indexOf(name) === index);
	const options = (name: string) => [
		...new Set([ignored, ...fields, `${prefix}${keyOf(name)}`, ...properties.map(({ key }) => `${prefix}${key}`), ...(now[name] ? [now[name]] : [])]),
	];
	return (
		<Table
			label={w.imports.columns}
			rows={names}
			id={({ index }) => String(index)}
			columns={[
				{ name: w.imports.column, cell: ({ name }) => name || '–' },
				{
					name: w.imports.takenAs,
					cell: ({ name }) => (
						<select
							aria-label={w.imports.takenAsOf(name)}
							value={now[name] ?? ''}
							onChange={(event) => onSay({ ...said, ...chosen(now, name, event.target.value) })}
						>
							{!uses[name] && <option value="">{w.imports.byName}</option>}
							{options(name).map((use) => (
								<option key={use} value={use}>
									{useText(use)}
								</option>
							))}
						</select>
					),
				},
				{ name: w.imports.values, minor: true, cell: ({ index }) => sample.map((line, at) => <p key={at}>{line[index] ?? ''}</p>) },
			]}
		/>
	);
}
