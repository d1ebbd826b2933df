import { describe, expect, test } from "vitest";
import * as postings from "./collecting.ts";
import type { Posting } from "./posting.ts";

/** A thousand shillings by card, of which the gateway keeps 35 (the example of the design). */
const byCard = { amountMinor: 100_000n, currency: "KES", feeMinor: 3_500n, channel: "card" };
const paidIn = { payee: "tenant", allocatedMinor: 100_000n } as const;
const till = { shortcode: "174379", amountMinor: 100_000n, currency: "KES" };
const feeOf = (differenceMinor: bigint, isPassedOn = true, feesDueMinor = 3_500n) =>
	postings.trueUpFee({ differenceMinor, channel: "card", currency: "KES", isPassedOn, feesDueMinor });

const shown = ({ purpose, lines }: Posting) => ({
	purpose,
	debit: sideOf(lines, "debit"),
	credit: sideOf(lines, "credit"),
});
const sideOf = (lines: Posting["lines"], of: string) =>
	Object.fromEntries(
		lines
			.filter(({ side }) => side === of)
			.map(({ account: { owner, code }, amountMinor }) => [`${owner} ${code}`, Number(amountMinor)]),
	);

describe("a posting", () => {
	test.each([
		{
			title: "of a card payment to a tenant credits it gross and passes the fee on",
			posting: postings.collectByCard({ ...byCard, ...paidIn }),
			purpose: "collection",
			debit: {
				"platform card.unsettled": 96_500,
				"platform gateway_fee.card": 3_500,
				"tenant tenant.fees_due": 3_500,
			},
			credit: { "tenant tenant.pending": 100_000, "platform fee_recovery": 3_500 },
		},
		{
			title: "of a card payment beyond what is open has the excess in suspense, and the whole fee passed on",
			posting: postings.collectByCard({ ...byCard, payee: "tenant", allocatedMinor: 60_000n }),
			purpose: "collection",
			debit: {
				"platform card.unsettled": 96_500,
				"platform gateway_fee.card": 3_500,
				"tenant tenant.fees_due": 3_500,
			},
			credit: {
				"tenant tenant.pending": 60_000,
				"platform suspense.card": 40_000,
				"platform fee_recovery": 3_500,
			},
		},
		{
			title: "of a card payment whose fee exceeds it has the rest of the fee on the other side",
			posting: postings.collectByCard({
				...byCard,
				payee: "tenant",
				amountMinor: 1_000n,
				allocatedMinor: 1_000n,
			}),
			purpose: "collection",
			debit: { "platform gateway_fee.card": 3_500, "tenant tenant.fees_due": 3_500 },
			credit: {
				"platform card.unsettled": 2_500,
				"tenant tenant.pending": 1_000,
				"platform fee_recovery": 3_500,
			},
		},
		{
			title: "of a card payment to the platform is not applied yet, and its fee is the platform's",
			posting: postings.collectByCard({ ...byCard, payee: "platform", allocatedMinor: 0n }),
			purpose: "collection",
			debit: { "platform card.unsettled": 96_500, "platform gateway_fee.card": 3_500 },
			credit: { "tenant unapplied": 100_000 },
		},
		{
			title: "without a fee has no line of 0",
			posting: postings.collectByCard({ ...byCard, ...paidIn, feeMinor: 0n }),
			purpose: "collection",
			debit: { "platform card.unsettled": 100_000 },
			credit: { "tenant tenant.pending": 100_000 },
		},
		{
			title: "of an operation that is paid in full makes income of it",
			posting: postings.applyToOperation({ amountMinor: 100_000n, currency: "KES" }),
			purpose: "application",
			debit: { "tenant unapplied": 100_000 },
			credit: { "platform platform.income": 100_000 },
		},
		{
			title: "of a payment to the tenant's shortcode mirrors it in the tenant's custody",
			posting: postings.collectByTenantShortcode({ ...till, allocatedMinor: 70_000n }),
			purpose: "collection",
			debit: { "tenant mm.float.174379": 100_000 },
			credit: { "tenant tenant.mobile": 70_000, "tenant suspense.174379": 30_000 },
		},
		{
			title: "of a payment to the platform's shortcode is not applied yet",
			posting: postings.collectByPlatformShortcode(till),
			purpose: "collection",
			debit: { "platform mm.float.174379": 100_000 },
			credit: { "tenant unapplied": 100_000 },
		},
		{
			title: "of mobile money that fits nothing is in the suspense of its shortcode",
			posting: postings.suspendMobileMoney({ ...till, owner: "platform" }),
			purpose: "suspense",
			debit: { "platform mm.float.174379": 100_000 },
			credit: { "platform suspense.174379": 100_000 },
		},
		{
			title: "of mobile money that was counted twice takes one of the two out of the books",
			posting: postings.uncountDuplicate({ ...till, owner: "tenant" }),
			purpose: "duplicate",
			debit: { "tenant suspense.174379": 100_000 },
			credit: { "tenant mm.float.174379": 100_000 },
		},
		{
			title: "of a card payment whose tenant is not known passes no fee on",
			posting: postings.suspendCard(byCard),
			purpose: "suspense",
			debit: { "platform card.unsettled": 96_500, "platform gateway_fee.card": 3_500 },
			credit: { "platform suspense.card": 100_000 },
		},
		{
			title: "that allocates card money passes its fee on",
			posting: postings.allocateSuspended({ ...byCard, from: "card", payee: "tenant" }),
			purpose: "allocation",
			debit: { "platform suspense.card": 100_000, "tenant tenant.fees_due": 3_500 },
			credit: { "tenant tenant.pending": 100_000, "platform fee_recovery": 3_500 },
		},
		{
			title: "that allocates card money of a settled receipt makes it available",
			posting: postings.allocateSuspended({
				...{ amountMinor: 100_000n, currency: "KES", from: "card", payee: "tenant", isSettled: true },
			}),
			purpose: "allocation",
			debit: { "platform suspense.card": 100_000 },
			credit: { "tenant tenant.available": 100_000 },
		},
		{
			title: "that allocates money of a shortcode to its tenant",
			posting: postings.allocateSuspended({
				...till,
				from: { shortcode: "174379", owner: "tenant" },
				payee: "tenant",
			}),
			purpose: "allocation",
			debit: { "tenant suspense.174379": 100_000 },
			credit: { "tenant tenant.mobile": 100_000 },
		},
		{
			title: "that allocates money to the platform passes no fee on",
			posting: postings.allocateSuspended({ ...byCard, from: "card", payee: "platform" }),
			purpose: "allocation",
			debit: { "platform suspense.card": 100_000 },
			credit: { "tenant unapplied": 100_000 },
		},
		{
			title: "of a higher fee raises what the tenant owes",
			posting: feeOf(200n),
			purpose: "fee_trueup",
			debit: { "platform gateway_fee.card": 200, "tenant tenant.fees_due": 200 },
			credit: { "platform card.unsettled": 200, "platform fee_recovery": 200 },
		},
		{
			title: "of a lower fee lowers what the tenant owes",
			posting: feeOf(-200n),
			purpose: "fee_trueup",
			debit: { "platform card.unsettled": 200, "platform fee_recovery": 200 },
			credit: { "platform gateway_fee.card": 200, "tenant tenant.fees_due": 200 },
		},
		{
			title: "of a lower fee that a payout has deducted makes the rest available",
			posting: feeOf(-200n, true, 50n),
			purpose: "fee_trueup",
			debit: { "platform card.unsettled": 200, "platform fee_recovery": 200 },
			credit: {
				"platform gateway_fee.card": 200,
				"tenant tenant.fees_due": 50,
				"tenant tenant.available": 150,
			},
		},
		{
			title: "of another fee that was not passed on concerns the platform alone",
			posting: feeOf(200n, false),
			purpose: "fee_trueup",
			debit: { "platform gateway_fee.card": 200 },
			credit: { "platform card.unsettled": 200 },
		},
		{
			title: "of money that the tenant received outside raises the mirror",
			posting: postings.adjustMirror({ shortcode: "174379", differenceMinor: 500n, currency: "KES" }),
			purpose: "external",
			debit: { "tenant mm.float.174379": 500 },
			credit: { "tenant tenant.mobile": 500 },
		},
		{
			title: "of money that the tenant spent outside lowers the mirror",
			posting: postings.adjustMirror({ shortcode: "174379", differenceMinor: -500n, currency: "KES" }),
			purpose: "external",
			debit: { "tenant tenant.mobile": 500 },
			credit: { "tenant mm.float.174379": 500 },
		},
	])("$title", ({ posting, purpose, debit, credit }) => {
		expect(shown(posting)).toEqual({ purpose, debit, credit });
	});

	test.each([-1n, 100_001n])("that allocates %s of a receipt of 100000 is refused", (allocatedMinor) => {
		expect(() => postings.collectByCard({ ...byCard, payee: "tenant", allocatedMinor })).toThrow(
			"cannot be allocated",
		);
		expect(() => postings.collectByTenantShortcode({ ...till, allocatedMinor })).toThrow(
			"cannot be allocated",
		);
	});
});
