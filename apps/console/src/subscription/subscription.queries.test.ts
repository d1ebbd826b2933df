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
	["requested a moment ago is polled soon", asked("2026-03-02T07:59:59Z"), 1_500],
	["requested minutes ago is polled less often", asked("2026-03-02T07:50:00Z"), 10_000],
	[
		"that was refused is retried by the service, not polled",
		asked("2026-03-02T07:59:59Z", { failure: "no" }),
		false,
	],
	["that was paid is not polled", asked("2026-03-02T07:59:59Z", { status: "paid" }), false],
] as const)("a payment %s", (_what, payment, milliseconds) => {
	expect(nextLook(payment, now)).toBe(milliseconds);
});
