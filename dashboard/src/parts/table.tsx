// SPDX-License-Identifier: MIT
// A list of the service as a table, of which on a phone each row is a card of its main columns. The roles stay where the
// look is no table's.
import type { ReactNode } from 'react';
import type { List } from '../api/list';
import { w } from '../words';
import { Button } from './button';
import { Failed, Loading } from './state';

export interface Column<Row> {
	name: string;
	cell: (row: Row) => ReactNode;
	/** Left out on a phone. */
	minor?: boolean;
	/** What the row can do stands at its end, without a title. */
	actions?: boolean;
}

interface Props<Row> {
	label: string;
	list: List<Row>;
	columns: Column<Row>[];
	id: (row: Row) => string;
	/** What is said where there is no row. */
	empty: ReactNode;
	/** Stands above the rows, where there are any. */
	head?: ReactNode;
}

export function ListTable<Row>({ label, list, columns, id, empty, head }: Props<Row>) {
	if (list.isPending) return <Loading of={list} />;
	if (!list.data) return <Failed why={list.error ?? new Error('')} again={() => void list.refetch()} />;
	if (!list.rows.length && !list.hasNextPage) return <>{empty}</>;
	return (
		<div className="list" aria-busy={list.isPlaceholderData || undefined} inert={list.isPlaceholderData}>
			{head}
			<Table label={label} rows={list.rows} columns={columns} id={id} />
			{list.hasNextPage && (
				<p className="more">
					<Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
						{w.do.more}
					</Button>
				</p>
			)}
		</div>
	);
}

export function Table<Row>({ label, rows, columns, id }: { label: string; rows: Row[]; columns: Column<Row>[]; id: (row: Row) => string }) {
	return (
		<div className="table-box" role="group" aria-label={label} tabIndex={0}>
			<table role="table">
				<thead role="rowgroup">
					<tr role="row">
						{columns.map((column) => (
							<th key={column.name} scope="col" role="columnheader" className={classOf(column)}>
								{column.actions ? <span className="hidden">{column.name}</span> : column.name}
							</th>
						))}
					</tr>
				</thead>
				<tbody role="rowgroup">
					{rows.map((row) => (
						<tr key={id(row)} role="row">
							{columns.map((column, index) => {
								const isNamed = index > 0 && !column.actions;
								return (
									<td key={column.name} role="cell" data-name={isNamed ? column.name : undefined} className={classOf(column)}>
										{isNamed ? <div>{column.cell(row)}</div> : column.cell(row)}
									</td>
								);
							})}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

const classOf = <Row,>(column: Column<Row>) => [column.minor && 'minor', column.actions && 'actions'].filter(Boolean).join(' ') || undefined;
