import { describe, expect, test } from "vitest";
import { accounts, floatOf, suspenseOf } from "./account.ts";
import type { Posting } from "./posting.ts";
import * as postings from "./refunding.ts";

const currency = "KES";
const till = { shortcode: "174379", owner: "tenant" } as const;
const sideOf = (lines: Posting["lines"], of: string) =>
	Object.fromEntries(
		lines
			.filter(({ side }) => side === of)
			.map(({ account: { owner, code }, amountMinor }) => [`${owner} ${code}`, Number(amountMinor)]),
	);

/** The example of the design: 400.00 of 1,000.00 are returned. */
describe("a posting", () => {
	test.each([
		{
			title: "that holds a refund takes what is pending first, then what is available, the rest as debt",
			posting: postings.holdReturn("refund", {
				currency,
				shares: [
					[accounts.pending, 10_000n],
					[accounts.available, 25_000n],
					[accounts.debt, 5_000n],
				],
			}),
			purpose: "refund_hold",
			debit: {
				"tenant tenant.pending": 10_000,
				"tenant tenant.available": 25_000,
				"tenant tenant.debt": 5_000,
			},
			credit: { "tenant tenant.refunding": 40_000 },
		},
		{
			title: "that holds a dispute is of its own account",
			posting: postings.holdReturn("dispute", { currency, shares: [[accounts.pending, 40_000n]] }),
			purpose: "dispute_hold",
			debit: { "tenant tenant.pending": 40_000 },
			credit: { "tenant tenant.disputed": 40_000 },
		},
		{
			title: "that holds a refund again, which failed before, has a purpose of its own",
			posting: postings.holdReturn("refund", {
				...{ currency, isLate: true },
				shares: [[accounts.debt, 40_000n]],
			}),
			purpose: "refund_late_hold",
			debit: { "tenant tenant.debt": 40_000 },
			credit: { "tenant tenant.refunding": 40_000 },
		},
		{
			title: "that holds money paid to the platform takes what is not used, then income",
			posting: postings.holdReturn("refund", {
				currency,
				shares: [
					[accounts.unapplied, 15_000n],
					[accounts.income, 25_000n],
				],
			}),
			purpose: "refund_hold",
			debit: { "tenant unapplied": 15_000, "platform platform.income": 25_000 },
			credit: { "tenant tenant.refunding": 40_000 },
		},
		{
			title: "that releases a refund gives the money back",
			posting: postings.releaseReturn("refund", { currency, shares: [[accounts.available, 40_000n]] }),
			purpose: "refund_release",
			debit: { "tenant tenant.refunding": 40_000 },
			credit: { "tenant tenant.available": 40_000 },
		},
		{
			title: "of a dispute that was won gives the money back",
			posting: postings.releaseReturn("dispute", { currency, shares: [[accounts.cardSuspense, 40_000n]] }),
			purpose: "dispute_won",
			debit: { "tenant tenant.disputed": 40_000 },
			credit: { "platform suspense.card": 40_000 },
		},
		{
			title: "of a refund that was paid is deducted by the next settlement",
			posting: postings.payReturn("refund", {
				...{ currency, amountMinor: 40_000n },
				from: accounts.cardUnsettled,
			}),
			purpose: "refund_paid",
			debit: { "tenant tenant.refunding": 40_000 },
			credit: { "platform card.unsettled": 40_000 },
		},
		{
			title: "of a dispute that was lost is deducted by the next settlement",
			posting: postings.payReturn("dispute", {
				...{ currency, amountMinor: 40_000n },
				from: accounts.cardUnsettled,
			}),
			purpose: "dispute_lost",
			debit: { "tenant tenant.disputed": 40_000 },
			credit: { "platform card.unsettled": 40_000 },
		},
		{
			title: "of a reversal by a tenant's own shortcode had no hold",
			posting: postings.payFromShortcode({
				...{ currency, from: floatOf(till) },
				shares: [
					[accounts.mobile, 30_000n],
					[suspenseOf(till), 10_000n],
				],
			}),
			purpose: "refund_paid",
			debit: { "tenant tenant.mobile": 30_000, "tenant suspense.174379": 10_000 },
			credit: { "tenant mm.float.174379": 40_000 },
		},
		{
			title: "that pays debt takes what has become available",
			posting: postings.recoverDebt({ currency, amountMinor: 40_000n }),
			purpose: "debt_recovery",
			debit: { "tenant tenant.available": 40_000 },
			credit: { "tenant tenant.debt": 40_000 },
		},
	])("$title", ({ posting, purpose, debit, credit }) => {
		expect(posting.purpose).toBe(purpose);
		expect(sideOf(posting.lines, "debit")).toEqual(debit);
		expect(sideOf(posting.lines, "credit")).toEqual(credit);
	});
});
