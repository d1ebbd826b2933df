import fc from "fast-check";
import { expect, test } from "vitest";
import { type AttemptStatus, rankOf } from "../../payments/attempt.ts";
import type { Said } from "../evidence/evidence.ts";
import { outcomeOf } from "./attempt-outcome.ts";

const paid: Said = {
	...{ kind: "paid", currency: "KES", amountMinor: 100n, receipt: "A1" },
	...{ paidAt: undefined, payerMasked: undefined },
};
const anything: readonly Said[] = [
	{ kind: "accepted" },
	{ kind: "rejected", code: "400.002.02" },
	{ kind: "unknown", because: "timeout" },
	{ kind: "cancelled", code: "1032" },
	{ kind: "failed", code: "2001" },
	{ kind: "expired" },
	paid,
];
const apply = (status: AttemptStatus, said: Said): AttemptStatus => outcomeOf(status, said)?.status ?? status;
const after = (all: readonly Said[]) => all.reduce<AttemptStatus>(apply, "submitting");

test.each([
	["submitting", { kind: "accepted" }, "awaiting"],
	["submitting", { kind: "unknown", because: "reset" }, "unknown"],
	["awaiting", { kind: "cancelled", code: "1032" }, "cancelled"],
	["unknown", { kind: "expired" }, "expired"],
	["expired", paid, "succeeded"],
	["cancelled", paid, "succeeded"],
	["succeeded", { kind: "failed", code: "1" }, "succeeded"],
	["succeeded", { kind: "accepted" }, "succeeded"],
	["failed", { kind: "accepted" }, "failed"],
	["cancelled", { kind: "failed", code: "1037" }, "cancelled"],
] as const)("a status of %s with %o becomes %s", (status, said, next) => {
	expect(apply(status, said)).toBe(next);
});

test("a success wins in every order, and is final", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...anything), { maxLength: 12 }), (all) => {
			expect(after(all) === "succeeded").toBe(all.includes(paid));
		}),
	);
});

test("the rank never falls, and repeated evidence changes nothing", () => {
	fc.assert(
		fc.property(fc.array(fc.constantFrom(...anything), { maxLength: 12 }), (all) => {
			let status: AttemptStatus = "submitting";
			for (const said of all) {
				const next = apply(status, said);
				expect(rankOf[next]).toBeGreaterThanOrEqual(rankOf[status]);
				expect(apply(next, said)).toBe(next);
				status = next;
			}
		}),
	);
});
