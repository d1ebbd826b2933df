import type { Deduction } from "../settlements/deduction.store.ts";

/** So many sums are tried. */
const sumsMax = 10_000;

/**
 * Chooses what a settlement deducted: the oldest ones if they come to its amount, else others that do, the
 * older ones rather than the newer. What the treasury learns late is not the oldest here, though the gateway
 * deducted it before. Returns undefined if nothing comes to the amount. Pure.
 */
export function fitDeductions(
	oldestFirst: readonly Deduction[],
	amountMinor: bigint,
): readonly Deduction[] | undefined {
	let [sum, count] = [0n, 0];
	while (sum < amountMinor && count < oldestFirst.length) sum += oldestFirst[count++]?.amountMinor ?? 0n;
	return sum === amountMinor ? oldestFirst.slice(0, count) : chooseFrom(oldestFirst, amountMinor);
}

type Chosen = Map<bigint, readonly Deduction[]>;

function chooseFrom(all: readonly Deduction[], amountMinor: bigint): readonly Deduction[] | undefined {
	/** What comes to each sum. */
	const chosen: Chosen = new Map([[0n, []]]);
	for (const one of all) {
		addSums(chosen, one, amountMinor);
		const fitting = chosen.get(amountMinor);
		if (fitting !== undefined || chosen.size > sumsMax) return fitting;
	}
	return undefined;
}

/** Adds one to each sum that there is, as far as a new sum comes of it that is not too much. */
function addSums(chosen: Chosen, one: Deduction, amountMinor: bigint): void {
	for (const [sum, some] of [...chosen]) {
		const next = sum + one.amountMinor;
		if (next <= amountMinor && !chosen.has(next)) chosen.set(next, [...some, one]);
	}
}
