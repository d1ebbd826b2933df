/** Where a part of a bar begins, and its width: of 100. */
type Placed<T> = T & { x: number; width: number };

/** Places the parts of a sum side by side. Parts of 0 or less are left out. Pure. */
export function placeParts<T extends { value: number }>(parts: readonly T[]): Array<Placed<T>> {
	const shown = parts.filter(({ value }) => value > 0);
	const sumOf = (some: readonly T[]) => some.reduce((sum, { value }) => sum + value, 0);
	const shareOf = (some: readonly T[]) => (sumOf(some) / sumOf(shown)) * 100;
	return shown.map((part, index) => ({ ...part, x: shareOf(shown.slice(0, index)), width: shareOf([part]) }));
}
