import { totalMax } from "@lango/contracts/total";

/** How many rows a list has: those of a count, or "more than" its limit; undefined if it is not known. */
export function describeTotal(
	total: number | undefined,
	{ format, moreThan }: { format: (count: number) => string; moreThan: (count: string) => string },
): string | undefined {
	if (total === undefined) return undefined;
	return total > totalMax ? moreThan(format(totalMax)) : format(total);
}
