import { expect, test } from "vitest";
import { nextLook } from "./subscription.queries.ts";

const now = new Date("2026-03-02T08:00:00Z");
const asked = (requested_at: string, more: object = {}) => ({
	status: "requested" as const,
	failure: null,
	requested_at,
	...more,
});

test.each([
	["asked for a moment ago is looked at soon", asked("2026-03-02T07:59:59Z"), 1_500],
	["asked for minutes ago is looked at less often", asked("2026-03-02T07:50:00Z"), 10_000],
	[
		"that was refused is tried again by itself, not looked at",
		asked("2026-03-02T07:59:59Z", { failure: "no" }),
		false,
	],
	["that was paid is looked at no more", asked("2026-03-02T07:59:59Z", { status: "paid" }), false],
] as const)("a payment %s", (_what, payment, milliseconds) => {
	expect(nextLook(payment, now)).toBe(milliseconds);
});
