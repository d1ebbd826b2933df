import { expect, test } from "vitest";
import { median, quantile, quartilesOf, ratios, spreadOf } from "./figures.ts";

test("the median is the middle figure, or the mean of the two middle ones", () => {
	expect(median([9, 1, 5])).toBe(5);
	expect(median([4, 1, 2, 3])).toBe(2.5);
});

test("a quantile lies between its neighbours by their distance", () => {
	const figures = Array.from({ length: 101 }, (_, n) => n);
	expect(quantile(figures, 0.99)).toBe(99);
	expect(quantile([0, 10], 0.25)).toBe(2.5);
	expect(() => quantile([], 0.5)).toThrow("empty");
});

test("ratios are taken run by run and only then ordered", () => {
	expect(ratios([10, 30, 20], [10, 10, 5])).toEqual({ middle: 3, least: 1, most: 4 });
	expect(() => ratios([1], [1, 2])).toThrow("differ in length");
});

test("a spread names the middle and both ends", () => {
	expect(spreadOf([3, 1, 2])).toEqual({ middle: 2, least: 1, most: 3 });
});

test("quartiles name the middle and what the middle half lies between, whatever the ends are", () => {
	expect(quartilesOf([1_000, 3, 1, 2, -1_000])).toEqual({ middle: 2, least: 1, most: 3 });
});
