import { expect, test } from "vitest";
import * as postings from "./paying-out.ts";
import type { Posting } from "./posting.ts";

/**
 * A thousand shillings, of which 35 pay the fee of a collection and `f` = 10 the transfer (the example
 * of the design).
 */
const payout = { netMinor: 95_500n, collectionFeeMinor: 3_500n, transferFeeMinor: 1_000n, currency: "KES" };
const trueUp = (differenceMinor: bigint, isPosted: boolean) =>
	postings.trueUpTransferFee({ differenceMinor, isPosted, currency: "KES" });

/** Each account with what it gets: a debit is positive. */
const moved = ({ lines }: Posting) =>
	lines.map(({ side, account, amountMinor }) => [
		account.code,
		Number(side === "debit" ? amountMinor : -amountMinor),
	]);

test.each([
	{
		title: "a payout holds its gross amount, and pays the fees that are due",
		posting: postings.holdPayout(payout),
		purpose: "payout_hold",
		lines: [
			["tenant.available", 100_000],
			["tenant.reserved", -96_500],
			["tenant.fees_due", -3_500],
		],
	},
	{
		title: "a release gives all of it back, and the fees are due again",
		posting: postings.releasePayout(payout),
		purpose: "payout_release",
		lines: [
			["tenant.reserved", 96_500],
			["tenant.fees_due", 3_500],
			["tenant.available", -100_000],
		],
	},
	{
		title: "a payout that is paid takes net amount and fee from the transfer balance",
		posting: postings.payOut({ ...payout, chargedMinor: 1_000n }),
		purpose: "payout_paid",
		lines: [
			...[
				["tenant.reserved", 96_500],
				["gateway_fee.transfer", 1_000],
			],
			...[
				["card.balance", -95_500],
				["card.balance", -1_000],
				["fee_recovery", -1_000],
			],
		],
	},
	{
		title: "a transfer that cost more than its line says is booked with what it cost",
		posting: postings.payOut({ ...payout, chargedMinor: 1_300n }),
		purpose: "payout_paid",
		lines: [
			...[
				["tenant.reserved", 96_500],
				["gateway_fee.transfer", 1_300],
			],
			...[
				["card.balance", -95_500],
				["card.balance", -1_300],
				["fee_recovery", -1_000],
			],
		],
	},
	{
		title: "what it cost more is due from the tenant",
		posting: trueUp(300n, true),
		purpose: "fee_trueup",
		lines: [
			["tenant.fees_due", 300],
			["fee_recovery", -300],
		],
	},
	{
		title: "what it cost less is available to the tenant",
		posting: trueUp(-300n, true),
		purpose: "fee_trueup",
		lines: [
			["fee_recovery", 300],
			["tenant.available", -300],
		],
	},
	{
		title: "a fee that is said afterwards corrects the charge, too",
		posting: trueUp(-300n, false),
		purpose: "fee_trueup",
		lines: [
			["gateway_fee.transfer", -300],
			["card.balance", 300],
			["fee_recovery", 300],
			["tenant.available", -300],
		],
	},
	{
		title: "of a payout that came back the fee of the transfer stays charged",
		posting: postings.returnPayout(payout),
		purpose: "payout_reversed",
		lines: [
			["card.balance", 95_500],
			["tenant.fees_due", 4_500],
			["tenant.available", -100_000],
		],
	},
	{
		title: "a late success holds what is available, and the rest is debt",
		posting: postings.holdLate({ ...payout, availableMinor: 60_000n }),
		purpose: "payout_late_hold",
		lines: [
			["tenant.available", 60_000],
			["tenant.debt", 36_500],
			["tenant.reserved", -96_500],
		],
	},
	{
		title: "a payout from a shortcode lowers its mirror and its float",
		posting: postings.payFromShortcode({ shortcode: "600200", amountMinor: 100_000n, currency: "KES" }),
		purpose: "payout_paid",
		lines: [
			["tenant.mobile", 100_000],
			["mm.float.600200", -100_000],
		],
	},
	{
		title: "what the gateway charged the tenant's own shortcode is taken from its mirror",
		posting: postings.chargeShortcode("payout", {
			shortcode: "600200",
			amountMinor: 2_240n,
			currency: "KES",
		}),
		purpose: "payout_charge",
		lines: [
			["tenant.mobile", 2_240],
			["mm.float.600200", -2_240],
		],
	},
	{
		title: "what the gateway charged less for a refund than it said before is given back",
		posting: postings.chargeShortcode("refund", {
			shortcode: "600200",
			amountMinor: -2_240n,
			currency: "KES",
		}),
		purpose: "refund_charge",
		lines: [
			["tenant.mobile", -2_240],
			["mm.float.600200", 2_240],
		],
	},
])("$title", ({ posting, purpose, lines }) => {
	expect([posting.purpose, moved(posting)]).toEqual([purpose, lines]);
});

test("after collection, settlement, top-up and payout of the example nothing is left but the gateway's fee and its recovery", () => {
	const sums = new Map<string, number>();
	const add = (code: string, minor: number) => sums.set(code, (sums.get(code) ?? 0) + minor);
	// By card 1,000.00 with the fee 35.00, settled to the bank, released, and topped up.
	for (const [code, minor] of [
		...([
			["card.balance", 96_500],
			["gateway_fee.card", 3_500],
			["tenant.fees_due", 3_500],
		] as const),
		...([
			["tenant.available", -100_000],
			["fee_recovery", -3_500],
		] as const),
	])
		add(code, minor);
	const amounts = { ...payout, netMinor: 96_500n, transferFeeMinor: 0n };
	for (const posting of [postings.holdPayout(amounts), postings.payOut({ ...amounts, chargedMinor: 0n })])
		for (const [code, minor] of moved(posting) as Array<[string, number]>) add(code, minor);
	expect(Object.fromEntries([...sums].filter(([, sum]) => sum !== 0))).toEqual({
		...{ "gateway_fee.card": 3_500, fee_recovery: -3_500 },
	});
});
