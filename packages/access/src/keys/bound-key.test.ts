import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { outletsInBoth } from "./bound-key.ts";

const outlets = Array.from({ length: 6 }, () => randomUUID());
const some = fc.subarray(outlets);

test("a key has an outlet exactly if its own list and its creator both have it", () => {
	const own = fc.option(some, { nil: undefined });
	fc.assert(
		fc.property(own, fc.oneof(fc.constant("all" as const), some), (ofKey, ofCreator) => {
			const both = outletsInBoth(ofKey, ofCreator);
			for (const id of outlets) {
				const isOfKey = ofKey === undefined || ofKey.includes(id);
				const isOfCreator = ofCreator === "all" || ofCreator.includes(id);
				expect(both === undefined || both.includes(id)).toBe(isOfKey && isOfCreator);
			}
		}),
	);
});
