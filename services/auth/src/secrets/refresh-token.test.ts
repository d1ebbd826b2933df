import { randomBytes, randomUUID } from "node:crypto";
import fc from "fast-check";
import { expect, test } from "vitest";
import { createRefreshTokens, successorOf } from "./refresh-token.ts";

const key = (id: string) => ({ id, key: randomBytes(32) });
const old = key("k1");
const tokens = createRefreshTokens([old]);
const session = () => ({ tenantId: randomUUID(), sessionId: randomUUID() });

test("a token is read back as it was written, at any generation", () => {
	fc.assert(
		fc.property(
			fc.uuid(),
			fc.uuid(),
			fc.integer({ min: 0, max: 999_999 }),
			(tenantId, sessionId, generation) => {
				const token = { ...tokens.first({ tenantId, sessionId }), generation };
				expect(tokens.read(tokens.write(token))).toEqual(token);
			},
		),
	);
});

test("the successor is the same each time, and differs from every other generation and session", () => {
	const token = tokens.first(session());
	const texts = [token, successorOf(token), successorOf(successorOf(token)), tokens.first(token)].map(
		tokens.write,
	);
	expect(new Set(texts).size).toBe(4);
	expect(tokens.write(successorOf(token))).toBe(texts[1]);
});

test("a token with any one character changed is not accepted", () => {
	const text = tokens.write(tokens.first(session()));
	fc.assert(
		fc.property(fc.nat(text.length - 1), fc.constantFrom(..."abc0189-_.AZ"), (at, character) => {
			const changed = text.slice(0, at) + character + text.slice(at + 1);
			return changed === text || tokens.read(changed) === undefined;
		}),
		{ numRuns: 500 },
	);
});

test("tokens outlive a new key as long as the old one is configured, and not longer", () => {
	const text = tokens.write(tokens.first(session()));
	expect(createRefreshTokens([key("k2"), old]).read(text)).toBeDefined();
	expect(createRefreshTokens([key("k2")]).read(text)).toBeUndefined();
	expect(createRefreshTokens([key("k1")]).read(text)).toBeUndefined();
});

test("a generation with leading zeros is not accepted and throws no error", () => {
	const text = tokens.write(tokens.first(session()));
	expect(tokens.read(text.replace(".0.", ".00."))).toBeUndefined();
	expect(tokens.read(text.replace(".0.", ".000000000."))).toBeUndefined();
});
