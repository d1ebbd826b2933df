import type { ReactNode } from "react";

export type Column<Row> = {
	head: string;
	cell: (row: Row) => ReactNode;
	/** Aligns the column at its end, for numbers. */
	isNumber?: boolean;
	/** Whether values are long, such as an address. On a phone the head is shown above the value. */
	isLong?: boolean;
	/** Whether the head is for screen readers only, for example over buttons. */
	isHeadHidden?: boolean;
};

type DataTable<Row> = {
	/** The name of the table for screen readers. */
	caption: string;
	columns: ReadonlyArray<Column<Row>>;
	rows: readonly Row[];
	keyOf: (row: Row) => string;
	/** The text shown if there are no rows. */
	empty: string;
};

/**
 * A table on a wide screen, a stack of cards on a phone. On a phone each cell shows its column's head.
 * The first column is the row header. Roles are explicit because browsers drop them if a table has
 * another layout.
 */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty }: DataTable<Row>) {
	if (rows.length === 0) return <p className="text-quiet">{empty}</p>;
	return (
		// biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
		<table role="table" className="block w-full md:table md:border-collapse">
			<caption className="sr-only">{caption}</caption>
			<thead role="rowgroup" className="sr-only md:not-sr-only md:table-header-group">
				<tr role="row">
					{columns.map(({ head, isNumber, isHeadHidden }) => (
						<th
							key={head}
							role="columnheader"
							scope="col"
							className={`border-b border-edge py-2 pr-4 font-semibold text-quiet last:pr-0 ${endIf(isNumber)}`}
						>
							{isHeadHidden ? <span className="sr-only">{head}</span> : head}
						</th>
					))}
				</tr>
			</thead>
			<tbody role="rowgroup" className="block md:table-row-group">
				{rows.map((row) => (
					<tr
						key={keyOf(row)}
						role="row"
						className="mb-3 block rounded-lg border border-hair bg-field px-4 py-3 md:table-row md:border-0 md:bg-transparent"
					>
						{columns.map((column, index) => (
							<Cell key={column.head} column={column} row={row} isFirst={index === 0} />
						))}
					</tr>
				))}
			</tbody>
		</table>
		// biome-ignore-end lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
	);
}

function Cell<Row>({ column, row, isFirst }: { column: Column<Row>; row: Row; isFirst: boolean }) {
	const { head, cell, isNumber, isLong = false, isHeadHidden } = column;
	const look = `block py-1 align-middle md:table-cell md:border-b md:border-hair md:py-3 md:pr-4 md:last:pr-0 wrap-anywhere`;
	if (isFirst)
		return (
			// biome-ignore lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
			<th role="rowheader" scope="row" className={`${look} text-left text-lg font-semibold md:text-base`}>
				{cell(row)}
			</th>
		);
	return (
		// biome-ignore lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
		<td role="cell" className={`${look} ${isNumber ? "md:text-end md:tabular-nums" : ""}`}>
			{!isHeadHidden && (
				<span aria-hidden="true" className={`mr-2 text-quiet md:hidden ${isLong ? "block" : ""}`}>
					{head}
				</span>
			)}
			{cell(row)}
		</td>
	);
}

function endIf(isNumber = false): string {
	return isNumber ? "text-end" : "text-start";
}
