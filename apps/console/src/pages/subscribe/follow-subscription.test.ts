import { ClientError } from "@lango/client";
import { expect, test } from "vitest";
import { isOther } from "./follow-subscription.ts";

const expired = { status: "EXPIRED", access: "read_only", version: 3 } as const;
const paid = { status: "ACTIVE", access: "full", version: 4 } as const;
const error = new ClientError("unreachable");

test.each([
	["the same", { kind: "found", subscription: expired }, expired, false],
	["paid meanwhile", { kind: "found", subscription: expired }, paid, true],
	["over meanwhile", { kind: "found", subscription: paid }, { ...paid, access: "grace" as const }, true],
	["there meanwhile", { kind: "none" }, paid, true],
	["none, as before", { kind: "none" }, null, false],
	["none any more", { kind: "found", subscription: expired }, null, true],
	["one that could not be had before", { kind: "unknown", error }, paid, true],
	["nobody's concern", { kind: "skipped" }, paid, false],
] as const)("a subscription that is %s differs from what the gate goes by: %#", (...row) => {
	const [, standing, asked, isDifferent] = row;
	expect(isOther(standing, asked)).toBe(isDifferent);
});
