import { expect, test } from "vitest";
import { waitAfter } from "./apply-deliveries.ts";

test("the delay after a failure triples each time, up to 15 minutes", () => {
	expect([1, 2, 3, 4, 7, 8, 9].map(waitAfter)).toEqual([
		1_000, 3_000, 9_000, 27_000, 729_000, 900_000, 900_000,
	]);
});
