/** Whether two lists contain the same values, in any order. */
export function isSameSet(one: readonly string[], other: readonly string[]): boolean {
	const [left, right] = [new Set(one), new Set(other)];
	return left.size === right.size && [...left].every((value) => right.has(value));
}
