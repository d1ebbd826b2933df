import { expect, test } from "vitest";
import { createRecentTokens } from "./recent-tokens.ts";

const token = (claims: string, signature: string) => `e30.${claims}.${signature.repeat(40)}`;

test("a lookup compares the whole token, not only the end of its signature", () => {
	const recent = createRecentTokens<number>(10);
	recent.put(token("one", "ab"), 1);
	expect(recent.get(token("one", "ab"))).toBe(1);
	expect(recent.get(token("two", "ab"))).toBeUndefined();
	expect(recent.get(token("one", "cd"))).toBeUndefined();
	expect(recent.get("")).toBeUndefined();
});

test("a full cache evicts the least recently used token", () => {
	const recent = createRecentTokens<number>(2);
	for (const at of [1, 2, 3]) recent.put(token("x", String(at)), at);
	expect([1, 2, 3].map((at) => recent.get(token("x", String(at))))).toEqual([undefined, 2, 3]);
});

test("clear removes every token", () => {
	const recent = createRecentTokens<number>(2);
	recent.put(token("x", "1"), 1);
	recent.clear();
	expect(recent.get(token("x", "1"))).toBeUndefined();
});
