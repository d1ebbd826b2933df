import { expect, test } from "vitest";
import { isSameSet } from "./same-set.ts";

test.each([
	[[], [], true],
	[["a", "b"], ["b", "a"], true],
	[["a", "a"], ["a"], true],
	[["a"], ["b"], false],
	[["a"], ["a", "b"], false],
	[["a", "b"], ["a"], false],
])("%j and %j have the same values: %s", (one, other, isSame) => {
	expect(isSameSet(one, other)).toBe(isSame);
});
