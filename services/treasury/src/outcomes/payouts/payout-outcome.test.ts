import { expect, test } from "vitest";
import { type PayoutStatus, payoutStatuses, rankOf } from "../../payouts/payout.ts";
import type { PayoutSaid } from "../evidence/payout-evidence.ts";
import { movementBy, payoutOutcomeOf } from "./payout-outcome.ts";

type Said = PayoutSaid["kind"];

/**
 * Design section 6: from each status, what every kind of evidence makes of it; a kind that is absent
 * changes nothing.
 */
const table: Readonly<Record<PayoutStatus, Partial<Record<Said, string>>>> = {
	awaiting_approval: {
		approved: "approved",
		rejected: "rejected, release",
		cancelled: "cancelled, release",
		needs_otp: "needs_otp",
		in_flight: "in_flight",
		failed: "failed, release",
		paid: "paid, pay",
		reversed: "reversed, release",
	},
	approved: {
		rejected: "rejected, release",
		cancelled: "cancelled, release",
		submitted: "submitting",
		needs_otp: "needs_otp",
		in_flight: "in_flight",
		failed: "failed, release",
		paid: "paid, pay",
		reversed: "reversed, release",
	},
	submitting: {
		not_sent: "approved",
		unknown: "unknown",
		needs_otp: "needs_otp",
		in_flight: "in_flight",
		failed: "failed, release",
		paid: "paid, pay",
		reversed: "reversed, release",
	},
	unknown: {
		needs_otp: "needs_otp",
		in_flight: "in_flight",
		failed: "failed, release",
		paid: "paid, pay",
		reversed: "reversed, release",
	},
	needs_otp: {
		in_flight: "in_flight",
		failed: "failed, release",
		paid: "paid, pay",
		reversed: "reversed, release",
	},
	in_flight: { failed: "failed, release", paid: "paid, pay", reversed: "reversed, release" },
	failed: { paid: "paid, hold_late_and_pay", reversed: "reversed" },
	rejected: { paid: "paid, hold_late_and_pay", reversed: "reversed" },
	cancelled: { paid: "paid, hold_late_and_pay", reversed: "reversed" },
	paid: { reversed: "reversed, return" },
	reversed: {},
};

const kinds: readonly Said[] = [
	...(["approved", "rejected", "cancelled", "submitted", "not_sent", "unknown"] as const),
	...(["needs_otp", "in_flight", "failed", "paid", "reversed"] as const),
];

test.each(payoutStatuses)(
	"from %s evidence makes what the table of the design says, and nothing else",
	(from) => {
		const made = kinds.flatMap((said) => {
			const outcome = payoutOutcomeOf(from, said);
			if (outcome === undefined) return [];
			const { status, movement } = outcome;
			return [[said, movement === "none" ? status : `${status}, ${movement}`]];
		});
		expect(Object.fromEntries(made)).toEqual(table[from]);
	},
);

test("the rank rises with every change, but for a payout of which nothing was sent", () => {
	for (const from of payoutStatuses)
		for (const said of kinds) {
			const to = payoutOutcomeOf(from, said)?.status;
			if (to !== undefined && said !== "not_sent") expect(rankOf[to]).toBeGreaterThan(rankOf[from]);
		}
});

test("a payout from a shortcode has no hold: only that it was paid moves money", () => {
	expect((["release", "return", "none"] as const).map((one) => movementBy("mobile_money", one))).toEqual([
		...["none", "none", "none"],
	]);
	expect((["pay", "hold_late_and_pay"] as const).map((one) => movementBy("mobile_money", one))).toEqual([
		...["pay", "pay"],
	]);
});
