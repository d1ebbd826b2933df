/** Returns a page of rows that were read with `limit + 1`. The cursor is the id of the last item. */
export function cutPage<T extends { id: string }, W>(
	found: readonly T[],
	limit: number,
	toWire: (one: T) => W,
): { items: W[]; next_cursor: string | null } {
	const items = found.slice(0, limit);
	return { items: items.map(toWire), next_cursor: found.length > limit ? (items.at(-1)?.id ?? null) : null };
}
