import fc from "fast-check";
import { expect, test } from "vitest";
import { suggestSlug } from "./slug.ts";

test.each([
	["Kahawa Café", "kahawa-cafe"],
	["  Duka & Mart (2) ", "duka-mart-2"],
	["医院", ""],
	["x".repeat(80), "x".repeat(63)],
	[`${"x".repeat(62)} y`, "x".repeat(62)],
])("%j becomes %j", (name, slug) => {
	expect(suggestSlug(name)).toBe(slug);
});

test("the suggestion for any name is a slug or empty", () => {
	fc.assert(
		fc.property(fc.string({ unit: "grapheme" }), (name) => {
			expect(suggestSlug(name)).toMatch(/^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)?$/);
		}),
	);
});
