import { ClientError } from "@lango/client";
import { expect, test } from "vitest";
import { isDifferent } from "./follow-subscription.ts";

const expired = { status: "EXPIRED", access: "read_only", version: 3 } as const;
const paid = { status: "ACTIVE", access: "full", version: 4 } as const;
const error = new ClientError("unreachable");

test.each([
	["the same", { kind: "found", subscription: expired }, expired, false],
	["paid in the meantime", { kind: "found", subscription: expired }, paid, true],
	[
		"expired in the meantime",
		{ kind: "found", subscription: paid },
		{ ...paid, access: "grace" as const },
		true,
	],
	["created in the meantime", { kind: "none" }, paid, true],
	["still missing", { kind: "none" }, null, false],
	["deleted", { kind: "found", subscription: expired }, null, true],
	["available after an error", { kind: "unknown", error }, paid, true],
	["not checked", { kind: "skipped" }, paid, false],
] as const)("the gate is updated for a subscription that is %s: %#", (...row) => {
	const [, gateState, loaded, expected] = row;
	expect(isDifferent(gateState, loaded)).toBe(expected);
});
