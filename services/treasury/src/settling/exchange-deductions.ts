import { type Deducted, type Deduction, sumOfDeductions } from "../settlements/deduction.store.ts";
import { commonUnit, fitDeductions } from "./fit-deductions.ts";

type Asked = { settlementId: string; amountMinor: bigint };
/** How many sums may still be stored. */
type Budget = { left: number };
/** Of the amounts from each one on. */
type Sums = ReadonlyArray<ReadonlySet<number>>;
type Choosing = { left: number; units: readonly number[]; sums: Sums };

/** So many sums are stored to explain one settlement: at most 0.5 s. */
const sumsMax = 1_000_000;
/** Of these, so many together with the same other settlements, and so many for one choice. */
const sumsOfGroupMax = 250_000;
const sumsOfChoiceMax = 100_000;
/** If these are too few, one choice is searched in so many steps, which take as long as so many sums. */
const stepsMax = 5_000_000;
const sumsOfSteps = 50_000;
/** Of so many others each two are tried together, and then so many at once. */
const pairedMax = 12;
const groupSizes = [4, 8];

/**
 * Chooses what a settlement deducted when nothing that is free comes to its amount: others get something else
 * that comes to the same as what they have. The first of the others are tried first. Returns what it and
 * those others deducted; undefined if nothing is found. Pure.
 */
export function exchangeDeductions(
	asked: Asked,
	free: readonly Deduction[],
	others: readonly Deducted[],
): Deducted[] | undefined {
	if (asked.amountMinor < 0n || sumOfDeductions(free) < asked.amountMinor) return undefined;
	let left = sumsMax;
	for (const group of groupsOf(others)) {
		const budget = { left: Math.min(left, sumsOfGroupMax) };
		left -= budget.left;
		const all = [...group.flatMap(({ deductions }) => deductions), ...free];
		const found = split(all, [asked, ...group.map(toAsked)].sort(smallestFirst), budget);
		if (found !== undefined) return found;
		left += budget.left;
		if (left <= 0) return undefined;
	}
	return undefined;
}

/** Each alone, each two of the first, and more of these. */
function groupsOf(others: readonly Deducted[]): ReadonlyArray<readonly Deducted[]> {
	const first = others.slice(0, pairedMax);
	const pairs = first.flatMap((one, at) => first.slice(0, at).map((nearer) => [nearer, one]));
	const sizes = groupSizes.filter((size) => others.length > size / 2);
	return [...others.map((one) => [one]), ...pairs, ...sizes.map((size) => others.slice(0, size))];
}

const toAsked = ({ settlementId, deductions }: Deducted): Asked => ({
	...{ settlementId, amountMinor: sumOfDeductions(deductions) },
});
const smallestFirst = (one: Asked, other: Asked) => Number(one.amountMinor - other.amountMinor);

/** The smallest amount chooses first, and chooses again if nothing that is left comes to the others. */
function split(
	all: readonly Deduction[],
	[smallest, ...others]: readonly Asked[],
	budget: Budget,
): Deducted[] | undefined {
	if (smallest === undefined) return [];
	const { settlementId, amountMinor } = smallest;
	for (const deductions of choicesOf(all, amountMinor, budget)) {
		const chosen = new Set(deductions);
		const rest = all.filter((one) => !chosen.has(one));
		const found = split(rest, others, budget);
		if (found !== undefined) return [{ settlementId, deductions }, ...found];
		budget.left -= all.length;
		if (budget.left <= 0) return undefined;
	}
	return undefined;
}

/** Yields each choice that comes to an amount. Of more than the half, what is left over is chosen. */
function* choicesOf(
	all: readonly Deduction[],
	amountMinor: bigint,
	budget: Budget,
): Generator<readonly Deduction[]> {
	const overMinor = sumOfDeductions(all) - amountMinor;
	if (overMinor < 0n) return;
	if (overMinor >= amountMinor) return yield* smallChoicesOf(all, amountMinor, budget);
	for (const leftOver of smallChoicesOf(all.toReversed(), overMinor, budget)) {
		const over = new Set(leftOver);
		yield all.filter((one) => !over.has(one));
	}
}

/** If there are too many sums, it yields the one choice that is found. */
function* smallChoicesOf(
	all: readonly Deduction[],
	amountMinor: bigint,
	budget: Budget,
): Generator<readonly Deduction[]> {
	const unit = commonUnit(all);
	if (unit === 0n || amountMinor % unit !== 0n) return;
	const largestFirst = all.toSorted((one, other) => Number(other.amountMinor - one.amountMinor));
	const units = largestFirst.map((one) => Number(one.amountMinor / unit));
	const wanted = Number(amountMinor / unit);
	const sums = sumsFromEach(units, wanted, budget);
	if (sums === undefined) {
		budget.left -= sumsOfSteps;
		const found = fitDeductions(all, amountMinor, stepsMax);
		if (found !== undefined) yield found;
	} else
		for (const chosen of choicesFrom(0, { left: wanted, units, sums }))
			yield largestFirst.filter((_, at) => chosen.includes(at));
}

/** The sums up to `wanted` of the amounts from each one on; undefined if these are too many. */
function sumsFromEach(units: readonly number[], wanted: number, budget: Budget): Sums | undefined {
	let sums = new Set([0]);
	const all = [sums];
	let left = Math.min(budget.left, sumsOfChoiceMax);
	for (const amount of units.toReversed()) {
		sums = new Set(sums);
		for (const sum of all.at(-1) ?? []) if (sum + amount <= wanted) sums.add(sum + amount);
		all.push(sums);
		left -= sums.size;
		budget.left -= sums.size;
		if (left <= 0) return undefined;
	}
	return all.reverse();
}

/** Yields each choice from one amount on that comes to what is left. Equal ones make no other choice. */
function* choicesFrom(first: number, { left, units, sums }: Choosing): Generator<readonly number[]> {
	if (left === 0) yield [];
	for (let at = first; left > 0 && sums[at]?.has(left); at += 1) {
		const after = left - (units[at] ?? 0);
		if ((at > first && units[at] === units[at - 1]) || !sums[at + 1]?.has(after)) continue;
		for (const others of choicesFrom(at + 1, { left: after, units, sums })) yield [at, ...others];
	}
}
