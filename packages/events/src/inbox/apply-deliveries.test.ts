import { expect, test } from "vitest";
import { waitAfter } from "./apply-deliveries.ts";

test("the wait after each failure is three times as long, up to a quarter of an hour", () => {
	expect([1, 2, 3, 4, 7, 8, 9].map(waitAfter)).toEqual([
		1_000, 3_000, 9_000, 27_000, 729_000, 900_000, 900_000,
	]);
});
