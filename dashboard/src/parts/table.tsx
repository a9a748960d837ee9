// SPDX-License-Identifier: MIT
// A list of the service as a table, of which on a phone each row is a card of its main columns. The roles stay where the
// look is no table's.
import { flexRender, getCoreRowModel, useReactTable, type ColumnDef } from '@tanstack/react-table';
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
	if (list.isPending) return <Loading />;
	if (!list.data) return <Failed why={list.error ?? new Error('')} again={() => void list.refetch()} />;
	if (!list.rows.length && !list.hasNextPage) return <>{empty}</>;
	return (
		<>
			{head}
			<Table label={label} rows={list.rows} columns={columns} id={id} />
			{list.hasNextPage && (
				<p className="more">
					<Button busy={list.isFetchingNextPage} onClick={() => void list.fetchNextPage()}>
						{w.do.more}
					</Button>
				</p>
			)}
		</>
	);
}

export function Table<Row>({ label, rows, columns, id }: { label: string; rows: Row[]; columns: Column<Row>[]; id: (row: Row) => string }) {
	const table = useReactTable({ data: rows, columns: columns.map(definition), getRowId: id, getCoreRowModel: getCoreRowModel() });
	return (
		<div className="table-box" role="group" aria-label={label} tabIndex={0}>
			<table role="table">
				<thead role="rowgroup">
					{table.getHeaderGroups().map((group) => (
						<tr key={group.id} role="row">
							{group.headers.map((head, index) => (
								<th key={head.id} scope="col" role="columnheader" className={classOf(columns[index])}>
									{columns[index].actions ? <span className="hidden">{columns[index].name}</span> : columns[index].name}
								</th>
							))}
						</tr>
					))}
				</thead>
				<tbody role="rowgroup">
					{table.getRowModel().rows.map((row) => (
						<tr key={row.id} role="row">
							{row.getVisibleCells().map((cell, index) => (
								<td key={cell.id} role="cell" data-name={index && !columns[index].actions ? columns[index].name : undefined} className={classOf(columns[index])}>
									{flexRender(cell.column.columnDef.cell, cell.getContext())}
								</td>
							))}
						</tr>
					))}
				</tbody>
			</table>
		</div>
	);
}

const definition = <Row,>(column: Column<Row>): ColumnDef<Row> => ({ id: column.name, header: column.name, cell: ({ row }) => column.cell(row.original) });
const classOf = <Row,>(column: Column<Row>) => [column.minor && 'minor', column.actions && 'actions'].filter(Boolean).join(' ') || undefined;
