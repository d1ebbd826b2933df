/** The outlets a session may be at: those the sign-on service names, headquarters too; all where it names none. */
export function offeredOf<T extends { id: string }>(
	outlets: readonly T[],
	ids: readonly string[] | undefined,
): readonly T[] {
	return ids === undefined ? outlets : outlets.filter(({ id }) => ids.includes(id));
}

/** Outlets with the ones used last first, the latest before the others, the rest as they stood (§5.15). */
export function lastFirst<T extends { id: string }>(
	outlets: readonly T[],
	lastIds: readonly string[],
): readonly T[] {
	const rank = ({ id }: T) => (lastIds.includes(id) ? lastIds.indexOf(id) : lastIds.length);
	return outlets.toSorted((one, other) => rank(one) - rank(other));
}
