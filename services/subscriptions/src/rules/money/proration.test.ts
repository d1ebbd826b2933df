import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { chargeFor, creditFor, partLeft } from "./proration.ts";

const prices = fc.bigInt({ min: 0n, max: 10n ** 12n });
const parts = fc
	.tuple(fc.bigInt({ min: 1n, max: 40_000_000n }), fc.bigInt({ min: 0n, max: 40_000_000n }))
	.map(([total, some]) => ({ total, remaining: some % (total + 1n) }));

describe("the rest of a period", () => {
	const period = { startsAt: new Date("2026-03-01T00:00:00Z"), endsAt: new Date("2026-03-31T00:00:00Z") };

	test.each([
		["2026-03-01T00:00:00Z", 2_592_000n],
		["2026-03-16T00:00:00Z", 1_296_000n],
		["2026-03-30T23:59:59Z", 1n],
		["2026-03-31T00:00:00Z", 0n],
		["2026-05-01T00:00:00Z", 0n],
		["2026-01-01T00:00:00Z", 2_592_000n],
	])("at %s is %d seconds", (at, remaining) => {
		expect(partLeft(period, new Date(at))).toEqual({ remaining, total: 2_592_000n });
	});
});

describe("prorated prices", () => {
	test("credit is rounded down and a charge to the nearest unit, a half up", () => {
		expect(creditFor(1n, { remaining: 1n, total: 2n })).toBe(0n);
		expect(chargeFor(1n, { remaining: 1n, total: 2n })).toBe(1n);
		expect(chargeFor(1n, { remaining: 1n, total: 3n })).toBe(0n);
		expect(chargeFor(2n, { remaining: 1n, total: 3n })).toBe(1n);
	});

	test("a whole period costs its full price and credits it, an empty one costs nothing", () => {
		fc.assert(
			fc.property(prices, parts, (price, { total }) => {
				expect([
					chargeFor(price, { remaining: total, total }),
					creditFor(price, { remaining: total, total }),
				]).toEqual([price, price]);
				expect([
					chargeFor(price, { remaining: 0n, total }),
					creditFor(price, { remaining: 0n, total }),
				]).toEqual([0n, 0n]);
			}),
		);
	});

	test("credit never exceeds the charge for the same part, and differs by one unit at most", () => {
		fc.assert(
			fc.property(prices, parts, (price, part) => {
				const difference = chargeFor(price, part) - creditFor(price, part);
				expect(difference === 0n || difference === 1n).toBe(true);
			}),
		);
	});

	test("a period without length costs nothing", () => {
		expect([
			chargeFor(5n, { remaining: 0n, total: 0n }),
			creditFor(5n, { remaining: 0n, total: 0n }),
		]).toEqual([0n, 0n]);
	});
});
