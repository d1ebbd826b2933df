import fc from "fast-check";
import { expect, test } from "vitest";
import { sumOfDeductions } from "../settlements/deduction.store.ts";
import { fitDeductions } from "./fit-deductions.ts";

const all = (...amounts: bigint[]) =>
	amounts.map((amountMinor, at) => ({ kind: "refund" as const, id: String(at), amountMinor }));
const chosen = (amountMinor: bigint, ...amounts: bigint[]) =>
	fitDeductions(all(...amounts), amountMinor)?.map(({ id }) => id);

type Asked = { amountMinor: bigint; of: bigint[] };

test.each<[title: string, asked: Asked, ids: string[] | undefined]>([
	["the oldest are chosen if they come to it", { amountMinor: 500n, of: [200n, 300n, 500n] }, ["0", "1"]],
	["one that was learned late is found", { amountMinor: 500n, of: [100n, 300n, 400n] }, ["0", "2"]],
	["the older of equal ones is chosen", { amountMinor: 300n, of: [200n, 300n, 300n] }, ["1"]],
	["nothing comes to the amount", { amountMinor: 50n, of: [100n, 300n] }, undefined],
	["all together are too little", { amountMinor: 500n, of: [100n, 300n] }, undefined],
	["there is nothing to choose from", { amountMinor: 500n, of: [] }, undefined],
])("%s", (_, { amountMinor, of }, ids) => {
	expect(chosen(amountMinor, ...of)).toEqual(ids);
});

test("what is chosen of a few comes to the amount, and is found whenever some of them do", () => {
	const amounts = fc.array(fc.bigInt({ min: 1n, max: 40n }), { maxLength: 8 });
	fc.assert(
		fc.property(amounts, fc.bigInt({ min: 1n, max: 200n }), (of, amountMinor) => {
			const found = fitDeductions(all(...of), amountMinor);
			const sums = [0n];
			for (const one of of) sums.push(...sums.map((sum) => sum + one));
			expect(found !== undefined).toBe(sums.includes(amountMinor));
			expect(new Set(found).size).toBe(found?.length ?? 0);
			if (found !== undefined) expect(sumOfDeductions(found)).toBe(amountMinor);
		}),
	);
});

test("what a settlement deducted is found among hundreds, also if some were learned late, or are not deducted yet", () => {
	const amount = fc.noBias(fc.bigInt({ min: 1_000n, max: 500_000n }));
	const amounts = fc.noBias(fc.array(amount, { minLength: 100, maxLength: 600 }));
	const shift = fc.integer({ min: 0, max: 19 });
	fc.assert(
		fc.property(amounts, fc.constantFrom(1n, 50n, 100n), shift, (of, unit, first) => {
			const oldestFirst = all(...of.map((minor) => minor * unit));
			/** One in twenty of the old ones, and every other one of the recent ones, are not deducted yet. */
			const isDeducted = (at: number) => (at + first) % (at < of.length * 0.8 ? 20 : 2) !== 0;
			const deductedMinor = sumOfDeductions(oldestFirst.filter((_, at) => isDeducted(at)));
			const found = fitDeductions(oldestFirst, deductedMinor) ?? [];
			expect(new Set(found).size).toBe(found.length);
			expect(sumOfDeductions(found)).toBe(deductedMinor);
		}),
		{ numRuns: 30, endOnFailure: true },
	);
});

test("an amount that is not a multiple of what all amounts have in common is not searched", () => {
	const powers = Array.from({ length: 40 }, (_, at) => 2n ** BigInt(at) * 2n);
	expect(chosen(2n ** 21n + 1n, ...powers)).toBeUndefined();
});
