import { expect, test } from "vitest";
import { mayEndSession } from "./may-end-session.ts";

const authenticatedAt = 1_000_000;

test.each([
	["loading", 3_600_000, false],
	["syncing", 3_600_000, false],
	["ready", 0, false],
	["ready", 14_999, false],
	["ready", 15_000, true],
	["pending", 15_000, true],
] as const)(
	"in the state %s, %d ms after the sign-in, a 401 may end the session: %s",
	(status, after, may) => {
		expect(mayEndSession({ status }, { authenticatedAt, now: authenticatedAt + after })).toBe(may);
	},
);

test("without a known sign-in time, a 401 may end the session", () => {
	expect(mayEndSession({ status: "ready" }, { authenticatedAt: undefined, now: authenticatedAt })).toBe(true);
});
