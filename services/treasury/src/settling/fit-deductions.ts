import type { Deduction } from "../settlements/deduction.store.ts";

/** Of so few, all combinations are tried. */
const fewMax = 13;
/** So many steps are made for the others: at most 0.3 s. */
const mostSteps = 200_000_000;

/**
 * Chooses what a settlement deducted: some that come to its amount, the older ones rather than the newer.
 * Returns undefined if nothing comes to the amount. If there are too many to try everything, the oldest ones
 * are taken as deducted, and only the others are searched. Pure.
 */
export function fitDeductions(
	oldestFirst: readonly Deduction[],
	amountMinor: bigint,
	stepsMax = mostSteps,
): readonly Deduction[] | undefined {
	const unit = commonUnit(oldestFirst);
	if (unit === 0n || amountMinor % unit !== 0n) return undefined;
	const taken: Deduction[] = [];
	let left = amountMinor / unit;
	let dropped = 0;
	for (const oldest of oldestFirst) {
		const rest = oldestFirst.length - dropped;
		if (rest <= fewMax || left * BigInt(rest) <= stepsMax) break;
		dropped += 1;
		if (oldest.amountMinor / unit > left) continue;
		taken.push(oldest);
		left -= oldest.amountMinor / unit;
	}
	const searched = oldestFirst.slice(dropped);
	const units = searched.map((one) => Number(one.amountMinor / unit));
	const found = searched.length > fewMax ? findOfMany(units, Number(left)) : findOfFew(units, Number(left));
	return found && [...taken, ...searched.filter((_, at) => found.has(at))];
}

/** What all amounts are multiples of; 0 if there are none. */
export const commonUnit = (all: readonly Deduction[]): bigint =>
	all.reduce((divisor, one) => greatestCommonDivisor(divisor, one.amountMinor), 0n);

function greatestCommonDivisor(one: bigint, other: bigint): bigint {
	return other === 0n ? one : greatestCommonDivisor(other, one % other);
}

/** Tries all combinations: each bit of `chosen` is one of the amounts. */
function findOfFew(amounts: readonly number[], wanted: number): Set<number> | undefined {
	for (let chosen = 0; chosen < 2 ** amounts.length; chosen += 1) {
		const isChosen = (_: unknown, at: number) => (chosen & (1 << at)) !== 0;
		if (amounts.filter(isChosen).reduce((sum, amount) => sum + amount, 0) !== wanted) continue;
		return new Set([...amounts.keys()].filter((at) => isChosen(undefined, at)));
	}
	return undefined;
}

/** Stores for each sum the first amount with which it can be reached. */
function findOfMany(amounts: readonly number[], wanted: number): Set<number> | undefined {
	const last = new Int32Array(wanted + 1).fill(-1);
	let highest = 0;
	for (const [at, amount] of amounts.entries()) {
		highest = Math.min(wanted, highest + amount);
		for (let sum = highest; sum >= amount; sum -= 1)
			if (last[sum] === -1 && (sum === amount || last[sum - amount] !== -1)) last[sum] = at;
		if (last[wanted] !== -1) return traceBack(amounts, last, wanted);
	}
	return wanted === 0 ? new Set() : undefined;
}

function traceBack(amounts: readonly number[], last: Int32Array, wanted: number): Set<number> {
	const found = new Set<number>();
	for (let sum = wanted; sum > 0; ) {
		const at = last[sum] ?? -1;
		found.add(at);
		sum -= amounts[at] ?? sum;
	}
	return found;
}
