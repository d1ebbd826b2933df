import fc from "fast-check";
import { expect, test } from "vitest";
import { type DiffLine, diffLines } from "./diff-lines.ts";

const show = (lines: readonly DiffLine[]) =>
	lines.map(({ kind, text }) => `${{ same: " ", removed: "-", added: "+" }[kind]}${text}`);

test("lines that differ are removed and added, and the others stay", () => {
	expect(show(diffLines("a\nb\nc\nd", "a\nc\nx\nd"))).toEqual([" a", "-b", " c", "+x", " d"]);
	expect(show(diffLines("", "a"))).toEqual(["+a"]);
	expect(show(diffLines("a", ""))).toEqual(["-a"]);
	expect(diffLines("", "")).toEqual([]);
});

test("both texts are in the comparison of any two texts, in their order", () => {
	const text = fc.array(fc.constantFrom("a", "b", "c"), { minLength: 1, maxLength: 12 });
	fc.assert(
		fc.property(text, text, (before, after) => {
			const lines = diffLines(before.join("\n"), after.join("\n"));
			const without = (kind: DiffLine["kind"]) =>
				lines.filter((line) => line.kind !== kind).map((line) => line.text);
			expect([without("added"), without("removed")]).toEqual([before, after]);
		}),
	);
});

test("long texts without a common line are compared at once", () => {
	const lines = (name: string) => Array.from({ length: 5_000 }, (_, n) => `${name} ${n}`).join("\n");
	expect(diffLines(lines("a"), lines("b"))).toHaveLength(10_000);
});
