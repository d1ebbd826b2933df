import fc from "fast-check";
import { expect, test } from "vitest";
import { drawFrom, histogramOf, openTally } from "./histogram.ts";
import { randomFrom } from "./random.ts";

const times = fc.array(fc.double({ min: 0.002, max: 5_000, noNaN: true }), { minLength: 1, maxLength: 300 });
const fixed = { seed: 2026, numRuns: 60 };

test("a histogram counts every time and keeps their mean", () => {
	const holds = (given: number[]) => {
		const { count, mean, counts } = histogramOf(given);
		expect([count, counts.reduce((sum, one) => sum + one, 0)]).toEqual([given.length, given.length]);
		expect(mean).toBeCloseTo(given.reduce((sum, one) => sum + one, 0) / given.length, 6);
	};
	fc.assert(fc.property(times, holds), fixed);
});

test("what is drawn from a histogram has the mean and the spread of what was put in", () => {
	const random = randomFrom(3);
	const given = Array.from({ length: 5_000 }, () => 0.4 + random() ** 4 * 20);
	const draw = drawFrom(histogramOf(given));
	const drawn = Array.from({ length: 50_000 }, () => draw(random));
	const [one, other] = [histogramOf(given), histogramOf(drawn)];
	expect(Math.abs(other.mean / one.mean - 1)).toBeLessThan(0.02);
	for (const q of [0.1, 0.5, 0.9, 0.99])
		expect(Math.abs(quantileOf(drawn, q) / quantileOf(given, q) - 1)).toBeLessThan(0.12);
});

const quantileOf = (figures: readonly number[], q: number) => {
	const tally = openTally();
	for (const figure of figures) tally.add(figure);
	return tally.quantile(q);
};

test("a quantile is met within a bin, and is nothing where so many did not wait", () => {
	const hundred = Array.from({ length: 100 }, (_, n) => n + 1);
	expect(quantileOf(hundred, 0.99)).toBeGreaterThanOrEqual(99);
	expect(quantileOf(hundred, 0.99)).toBeLessThan(99 * 1.1);
	const mostly = [...Array.from({ length: 99 }, () => 0), 7];
	expect([quantileOf(mostly, 0.9), quantileOf(mostly, 0.99)]).toEqual([0, 0]);
	expect(quantileOf(mostly, 1)).toBeGreaterThanOrEqual(7);
});

test("what is no time is refused, and so is a histogram of nothing", () => {
	for (const wrong of [-1, Number.NaN, Number.POSITIVE_INFINITY])
		expect(() => openTally().add(wrong)).toThrow("is no time");
	expect(() => histogramOf([])).toThrow("there are no times");
	expect(() => drawFrom({ count: 0, mean: 1, from: 0, counts: [] })).toThrow("without a time");
});
