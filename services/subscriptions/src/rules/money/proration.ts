/** A part of a span of time, in whole seconds. */
export type Part = { remaining: bigint; total: bigint };

/**
 * The part of the time from `startsAt` to `endsAt` that remains at `now`, to the second; time before the
 * start does not count.
 */
export function partLeft({ startsAt, endsAt }: { startsAt: Date; endsAt: Date }, now: Date): Part {
	const from = now < startsAt ? startsAt : now;
	return {
		remaining: endsAt > from ? secondsBetween(from, endsAt) : 0n,
		total: secondsBetween(startsAt, endsAt),
	};
}

/** The credit for the remaining time: rounded down, in lowest units. */
export function creditFor(priceMinor: bigint, { remaining, total }: Part): bigint {
	return total === 0n ? 0n : (priceMinor * remaining) / total;
}

/** The charge for the remaining time: rounded to the nearest lowest unit, a half up. */
export function chargeFor(priceMinor: bigint, { remaining, total }: Part): bigint {
	return total === 0n ? 0n : (2n * priceMinor * remaining + total) / (2n * total);
}

export function smallerOf(one: bigint, other: bigint): bigint {
	return one < other ? one : other;
}

function secondsBetween(from: Date, to: Date): bigint {
	return BigInt(Math.floor((to.getTime() - from.getTime()) / 1_000));
}
