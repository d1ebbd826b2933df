import { expect, test } from "vitest";
import { rememberLately } from "./lately-seen.ts";

const token = (claims: string, signature: string) => `e30.${claims}.${signature.repeat(40)}`;

test("a token is found by the whole of it, not by its signature alone", () => {
	const lately = rememberLately<number>(10);
	lately.put(token("one", "ab"), 1);
	expect(lately.get(token("one", "ab"))).toBe(1);
	expect(lately.get(token("two", "ab"))).toBeUndefined();
	expect(lately.get(token("one", "cd"))).toBeUndefined();
	expect(lately.get("")).toBeUndefined();
});

test("no more than so many are remembered: those put in first go", () => {
	const lately = rememberLately<number>(2);
	for (const at of [1, 2, 3]) lately.put(token("x", String(at)), at);
	expect([1, 2, 3].map((at) => lately.get(token("x", String(at))))).toEqual([undefined, 2, 3]);
});

test("nothing is remembered once it was cleared", () => {
	const lately = rememberLately<number>(2);
	lately.put(token("x", "1"), 1);
	lately.clear();
	expect(lately.get(token("x", "1"))).toBeUndefined();
});
