/** The rows whose text contains the search, without regard to case; all of them for an empty search. */
export function findRows<T>(rows: readonly T[], search: string, textOf: (row: T) => string): readonly T[] {
	const part = search.trim().toLocaleLowerCase();
	return part === "" ? rows : rows.filter((row) => textOf(row).toLocaleLowerCase().includes(part));
}
