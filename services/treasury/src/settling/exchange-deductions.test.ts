import fc from "fast-check";
import { expect, test } from "vitest";
import { type Deducted, type Deduction, sumOfDeductions } from "../settlements/deduction.store.ts";
import { exchangeDeductions } from "./exchange-deductions.ts";
import { fitDeductions } from "./fit-deductions.ts";

/** Of each return: its amount, the settlement that deducted it, and after how many of them it is known. */
type Returned = { amountMinor: bigint; by: number; knownAfter: number };

const refund = (id: string, amountMinor: bigint): Deduction => ({ kind: "refund", id, amountMinor });
const one = (settlementId: string, ...deductions: Deduction[]): Deducted => ({ settlementId, deductions });

/** Settlements one after the other, each explained with what is known then; those that are not, again. */
function explainAll(returned: readonly Returned[], settlements: number, delay: number) {
	const all = returned.map((of, at) => ({ ...of, ...refund(String(at), of.amountMinor) }));
	const deductedBy = (nth: number) => sumOfDeductions(all.filter(({ by }) => by === nth));
	let deducted: Deducted[] = [];
	for (let now = 0; now < settlements + delay; now += 1) {
		for (let nth = 0; nth <= Math.min(now, settlements - 1); nth += 1) {
			const asked = { settlementId: String(nth), amountMinor: deductedBy(nth) };
			if (deducted.some(({ settlementId }) => settlementId === asked.settlementId)) continue;
			const taken = new Set(deducted.flatMap(({ deductions }) => deductions));
			const free = all.filter((of) => of.by + of.knownAfter <= now && !taken.has(of));
			const fitting = fitDeductions(free, asked.amountMinor);
			const found = fitting
				? [one(asked.settlementId, ...fitting)]
				: exchangeDeductions(asked, free, deducted.toReversed());
			if (found === undefined) continue;
			const changed = new Set(found.map(({ settlementId }) => settlementId));
			deducted = [...deducted.filter(({ settlementId }) => !changed.has(settlementId)), ...found];
		}
	}
	return { deducted, deductedBy };
}

/** Each settlement is explained by returns that come to what it deducted, and each return by one of them. */
function expectExplained({ deducted, deductedBy }: ReturnType<typeof explainAll>, settlements: number) {
	const nths = deducted.map(({ settlementId }) => Number(settlementId)).sort((a, b) => a - b);
	expect(nths).toEqual([...Array(settlements).keys()]);
	for (const { settlementId, deductions } of deducted)
		expect(sumOfDeductions(deductions)).toBe(deductedBy(Number(settlementId)));
	const ids = deducted.flatMap(({ deductions }) => deductions).map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
}

/** So many returns of so many settlements, one in five of which is known up to so many settlements later. */
const returnedOf = ({ amounts, settlements, latest, ...length }: Sizes) =>
	fc.array(
		fc.record({
			amountMinor: fc.noBias(fc.bigInt(amounts)),
			by: fc.noBias(fc.nat(settlements - 1)),
			knownAfter: fc.oneof(
				{ weight: 4, arbitrary: fc.constant(0) },
				{ weight: 1, arbitrary: fc.noBias(fc.nat(latest)) },
			),
		}),
		length,
	);

type Sizes = {
	amounts: { min: bigint; max: bigint };
	settlements: number;
	latest: number;
	minLength: number;
	maxLength: number;
};

test("all settlements end explained by a few returns, whatever was chosen first and however late they were known", () => {
	const amounts = { min: 1n, max: 30n };
	const few = (settlements: number) =>
		returnedOf({ amounts, settlements, latest: 3, minLength: 1, maxLength: 14 });
	const all = fc.integer({ min: 1, max: 6 }).chain((n) => fc.tuple(few(n), fc.constant(n)));
	fc.assert(
		fc.property(all, ([returned, settlements]) => {
			expectExplained(explainAll(returned, settlements, 3), settlements);
		}),
		{ numRuns: 2_000 },
	);
});

test("all settlements end explained by a hundred returns of whole shillings, whatever was chosen first", () => {
	const sizes = { settlements: 20, latest: 10, minLength: 80, maxLength: 120 };
	fc.assert(
		fc.property(returnedOf({ ...sizes, amounts: { min: 50n, max: 600n } }), (returned) => {
			expectExplained(explainAll(returned, 20, 10), 20);
		}),
		// Always the same: the search is bounded, and what it does not find is left to the operator.
		{ numRuns: 12, seed: 131, endOnFailure: true },
	);
});

const exchanged = (amountMinor: bigint, free: bigint[], others: Record<string, bigint[]>) => {
	const of = (owner: string, amounts: bigint[]) => amounts.map((minor) => refund(`${owner} ${minor}`, minor));
	const found = exchangeDeductions(
		{ settlementId: "asked", amountMinor },
		of("free", free),
		Object.entries(others).map(([settlementId, amounts]) => one(settlementId, ...of(settlementId, amounts))),
	);
	return (
		found && Object.fromEntries(found.map((each) => [each.settlementId, each.deductions.map(({ id }) => id)]))
	);
};

test("another settlement gets something else that comes to the same, and those after it keep what they have", () => {
	expect(exchanged(3n, [5n], { first: [2n, 3n], second: [3n, 4n] })).toEqual({
		...{ asked: ["first 3"], first: ["free 5"] },
	});
});

test("two others exchange with each other if one alone cannot", () => {
	expect(exchanged(4n, [6n], { first: [4n, 1n], second: [5n, 1n] })).toEqual({
		...{ asked: ["first 4"], first: ["second 5"], second: ["free 6"] },
	});
});

test.each<[title: string, free: bigint[], other: bigint[]]>([
	["others cannot be made again without what they would give", [7n], [2n, 3n]],
	["more is deducted than is free", [2n], [3n, 1n]],
	["nothing is free", [], [3n]],
	["there is no other settlement", [4n], []],
])("nothing is exchanged if %s", (_, free, other) => {
	expect(exchanged(3n, free, other.length === 0 ? {} : { other })).toBeUndefined();
});

test("the search ends soon among thousands of returns of which none come to the amount", () => {
	const others = Array.from({ length: 32 }, (_, nth) => {
		const amounts = Array.from(
			{ length: 100 },
			(_, at) => BigInt(((nth * 100 + at) * 7_919) % 50_000) * 2n + 2n,
		);
		return [String(nth), amounts] as const;
	});
	const free = [
		3_000_001n,
		...Array.from({ length: 2_000 }, (_, at) => BigInt((at * 104_729) % 50_000) * 2n + 2n),
	];
	const started = performance.now();
	expect(exchanged(1_000_001n, free, Object.fromEntries(others))).toBeUndefined();
	expect(performance.now() - started).toBeLessThan(5_000);
});
