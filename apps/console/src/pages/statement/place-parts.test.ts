import { expect, test } from "vitest";
import { placeParts } from "./place-parts.ts";

const place = (...values: number[]) =>
	placeParts(values.map((value) => ({ value }))).map(({ value, x, width }) => [value, x, width]);

test("the parts of a bar lie side by side and fill it, each as wide as its share of their sum", () => {
	expect(place(100, 300)).toEqual([
		[100, 0, 25],
		[300, 25, 75],
	]);
	expect(place(7)).toEqual([[7, 0, 100]]);
});

test("a part of 0 or less takes no width, and a bar without parts is empty", () => {
	expect(place(100, 0, -50, 100)).toEqual([
		[100, 0, 50],
		[100, 50, 50],
	]);
	expect(place(0, -1)).toEqual([]);
});
