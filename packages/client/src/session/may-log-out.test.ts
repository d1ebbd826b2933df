import { expect, test } from "vitest";
import { mayLogOut } from "./may-log-out.ts";

const authenticatedAt = 1_000_000;

test.each([
	["loading", 3_600_000, false],
	["syncing", 3_600_000, false],
	["ready", 0, false],
	["ready", 14_999, false],
	["ready", 15_000, true],
	["pending", 15_000, true],
] as const)("in the state %s, %d ms after coming in, a refused session may end: %s", (status, after, may) => {
	expect(mayLogOut({ status }, { authenticatedAt, now: authenticatedAt + after })).toBe(may);
});

test("who was let in by nothing that is remembered may be signed out at once", () => {
	expect(mayLogOut({ status: "ready" }, { authenticatedAt: undefined, now: authenticatedAt })).toBe(true);
});
