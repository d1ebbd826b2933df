import fc from "fast-check";
import { expect, test } from "vitest";
import { shareOf } from "./order.ts";

test("a customer's share is at least one order, at most the limit, and never more than the percentage of a larger limit", () => {
	const limits = fc.integer({ min: 1, max: 1_000_000_000 });
	const percents = fc.integer({ min: 1, max: 100 });
	fc.assert(
		fc.property(limits, percents, (limit, percent) => {
			const share = shareOf(limit, percent) ?? 0;
			expect(Number.isInteger(share)).toBe(true);
			expect(share).toBeGreaterThanOrEqual(1);
			expect(share).toBeLessThanOrEqual(limit);
			expect(share === 1 || share * 100 <= limit * percent).toBe(true);
			expect((share + 1) * 100).toBeGreaterThan(limit * percent);
		}),
	);
	expect(shareOf(-1, 20)).toBeUndefined();
	expect([shareOf(1, 20), shareOf(9, 20), shareOf(10, 20), shareOf(100, 20)]).toEqual([1, 1, 2, 20]);
});
