import type { ReactNode } from "react";

export type Column<Row> = {
	head: string;
	cell: (row: Row) => ReactNode;
	/** Aligns the column at its end, for numbers. */
	isNumber?: boolean;
	/** Whether values are long, such as an address. On a card the head is shown above the value. */
	isLong?: boolean;
	/** Whether the head is for screen readers only, for example over buttons. */
	isHeadHidden?: boolean;
	/** Its name in an order, and the value by which it sorts. */
	sort?: readonly [name: string, valueOf: (row: Row) => string | number];
};

/** The column by which rows are sorted, with a minus before its name if in descending order. */
export type SortOrder = { by: string | undefined; set: (by: string) => void };

type DataTable<Row> = {
	/** The name of the table for screen readers. */
	caption: string;
	columns: ReadonlyArray<Column<Row>>;
	rows: readonly Row[];
	keyOf: (row: Row) => string;
	/** The text shown if there are no rows. */
	empty: string;
	/** The order that the heads of columns with `sort` change. */
	order?: SortOrder;
};

/**
 * A table where there is room for rows, a stack of cards elsewhere: below 900 px and in narrow parts of a
 * page. On a card each cell shows its column's head. The first column is the row header. Roles are explicit
 * because browsers drop them if a table has another layout.
 */
export function DataTable<Row>({ caption, columns, rows, keyOf, empty, order }: DataTable<Row>) {
	if (rows.length === 0) return <p className="text-quiet">{empty}</p>;
	return (
		<div className="w-full @container">
			{/* biome-ignore-start lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout */}
			<table role="table" className="block w-full rows:table rows:border-collapse">
				<caption className="sr-only">{caption}</caption>
				<thead role="rowgroup" className="sr-only rows:not-sr-only rows:table-header-group">
					<tr role="row">
						{columns.map((column) => (
							<Head key={column.head} column={column} order={order} />
						))}
					</tr>
				</thead>
				<tbody role="rowgroup" className="block rows:table-row-group">
					{rows.map((row) => (
						<tr
							key={keyOf(row)}
							role="row"
							className="mb-3 block rounded-lg border border-hair bg-field px-4 py-3 rows:table-row rows:border-0 rows:bg-transparent"
						>
							{columns.map((column, index) => (
								<Cell key={column.head} column={column} row={row} isFirst={index === 0} />
							))}
						</tr>
					))}
				</tbody>
			</table>
			{/* biome-ignore-end lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout */}
		</div>
	);
}

function Head<Row>({ column, order }: { column: Column<Row>; order: SortOrder | undefined }) {
	const { head, isNumber, isHeadHidden, sort } = column;
	const name = order && sort?.[0];
	const isAscending = name !== undefined && order?.by === name;
	const isDescending = name !== undefined && order?.by === `-${name}`;
	const direction = isAscending ? "ascending" : isDescending ? "descending" : "none";
	return (
		<th
			// biome-ignore lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
			role="columnheader"
			scope="col"
			aria-sort={name === undefined ? undefined : direction}
			className={`border-b border-edge py-2 pr-4 font-semibold text-quiet last:pr-0 ${isNumber ? "text-end" : "text-start"}`}
		>
			{isHeadHidden && <span className="sr-only">{head}</span>}
			{!isHeadHidden && name === undefined && head}
			{!isHeadHidden && name !== undefined && (
				<>
					<span className="rows:hidden print:inline!">{head}</span>
					<button
						type="button"
						onClick={() => order?.set(isAscending ? `-${name}` : name)}
						className="hidden min-h-11 items-center gap-1 hover:text-ink rows:inline-flex print:hidden!"
					>
						{head}
						<span aria-hidden="true">{marks[direction]}</span>
					</button>
				</>
			)}
		</th>
	);
}

const marks = { ascending: "↑", descending: "↓", none: "↕" } as const;

function Cell<Row>({ column, row, isFirst }: { column: Column<Row>; row: Row; isFirst: boolean }) {
	const { head, cell, isNumber, isLong = false, isHeadHidden } = column;
	// Only what is long by nature is broken inside of a word to make a column narrow.
	const wrap = isLong ? "wrap-anywhere" : "wrap-break-word";
	const look = `block py-1 align-middle rows:table-cell rows:border-b rows:border-hair rows:py-3 rows:pr-4 rows:last:pr-0 ${wrap}`;
	if (isFirst)
		return (
			// biome-ignore lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
			<th role="rowheader" scope="row" className={`${look} text-left text-lg font-semibold rows:text-base`}>
				{cell(row)}
			</th>
		);
	return (
		// biome-ignore lint/a11y/noRedundantRoles: browsers drop the roles of a table with block layout
		<td role="cell" className={`${look} ${isNumber ? "rows:text-end rows:tabular-nums" : ""}`}>
			{!isHeadHidden && (
				<span aria-hidden="true" className={`mr-2 text-quiet rows:hidden ${isLong ? "block" : ""}`}>
					{head}
				</span>
			)}
			{cell(row)}
		</td>
	);
}
