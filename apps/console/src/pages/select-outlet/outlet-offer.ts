/**
 * The outlets for a session: those that the sign-on service lists, including headquarters; all if it lists
 * none.
 */
export function offeredOf<T extends { id: string }>(
	outlets: readonly T[],
	ids: readonly string[] | undefined,
): readonly T[] {
	return ids === undefined ? outlets : outlets.filter(({ id }) => ids.includes(id));
}

/** Sorts the most recently used outlets first and keeps the order of the others (§5.15). */
export function lastFirst<T extends { id: string }>(
	outlets: readonly T[],
	lastIds: readonly string[],
): readonly T[] {
	const rank = ({ id }: T) => (lastIds.includes(id) ? lastIds.indexOf(id) : lastIds.length);
	return outlets.toSorted((one, other) => rank(one) - rank(other));
}
