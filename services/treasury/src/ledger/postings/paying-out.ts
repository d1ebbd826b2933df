import { smaller } from "../../money/amount.ts";
import { type Account, accounts, floatOf, gatewayFeeOf } from "./account.ts";
import { credit, debit, makePosting, type Posting, passOn } from "./posting.ts";

/**
 * The amounts of a payout by the card gateway: gross = net + collection fees + transfer fee. What is
 * reserved is net and the transfer fee; the collection fees are no longer due.
 */
export type PayoutAmounts = {
	netMinor: bigint;
	collectionFeeMinor: bigint;
	transferFeeMinor: bigint;
	currency: string;
};

const transferFee: Account = gatewayFeeOf("transfer");
const reservedOf = ({ netMinor, transferFeeMinor }: PayoutAmounts): bigint => netMinor + transferFeeMinor;
const grossOf = (amounts: PayoutAmounts): bigint => reservedOf(amounts) + amounts.collectionFeeMinor;

/** Holds what a payout takes: nothing else can use it. */
export const holdPayout = (amounts: PayoutAmounts): Posting =>
	makePosting("payout_hold", amounts.currency, [
		debit(accounts.available, grossOf(amounts)),
		credit(accounts.reserved, reservedOf(amounts)),
		credit(accounts.feesDue, amounts.collectionFeeMinor),
	]);

/** Releases the hold of a payout that moved no money. */
export const releasePayout = (amounts: PayoutAmounts): Posting =>
	makePosting("payout_release", amounts.currency, [
		debit(accounts.reserved, reservedOf(amounts)),
		debit(accounts.feesDue, amounts.collectionFeeMinor),
		credit(accounts.available, grossOf(amounts)),
	]);

/**
 * Uses the hold of a payout that was paid. `chargedMinor` is the fee that the gateway took, which may
 * differ from the one of the line.
 */
export const payOut = (amounts: PayoutAmounts & { chargedMinor: bigint }): Posting =>
	makePosting("payout_paid", amounts.currency, [
		debit(accounts.reserved, reservedOf(amounts)),
		debit(transferFee, amounts.chargedMinor),
		credit(accounts.cardBalance, amounts.netMinor),
		credit(accounts.cardBalance, amounts.chargedMinor),
		credit(accounts.feeRecovery, amounts.transferFeeMinor),
	]);

/**
 * Passes on what the gateway charged more for a transfer than its line says (`differenceMinor`), or
 * gives back what it charged less. `isPosted`: the charge itself is in the books, too.
 */
export const trueUpTransferFee = ({
	differenceMinor,
	isPosted,
	currency,
}: {
	differenceMinor: bigint;
	isPosted: boolean;
	currency: string;
}): Posting =>
	makePosting("fee_trueup", currency, [
		...(isPosted ? [] : [debit(transferFee, differenceMinor), credit(accounts.cardBalance, differenceMinor)]),
		...(differenceMinor > 0n
			? passOn(differenceMinor)
			: [debit(accounts.feeRecovery, -differenceMinor), credit(accounts.available, -differenceMinor)]),
	]);

/** The money of a payout came back. The fee of its transfer stays charged. */
export const returnPayout = (amounts: PayoutAmounts): Posting =>
	makePosting("payout_reversed", amounts.currency, [
		debit(accounts.cardBalance, amounts.netMinor),
		debit(accounts.feesDue, amounts.collectionFeeMinor + amounts.transferFeeMinor),
		credit(accounts.available, grossOf(amounts)),
	]);

/**
 * Holds what a payout took whose hold was released: the gateway paid it although it said that it had
 * failed. What is not available is debt of the tenant. The collection fees of its lines are due again.
 */
export function holdLate(amounts: PayoutAmounts & { availableMinor: bigint }): Posting {
	const reservedMinor = reservedOf(amounts);
	const usedMinor = smaller(amounts.availableMinor, reservedMinor);
	return makePosting("payout_late_hold", amounts.currency, [
		debit(accounts.available, usedMinor),
		debit(accounts.debt, reservedMinor - usedMinor),
		credit(accounts.reserved, reservedMinor),
	]);
}

type FromShortcode = { shortcode: string; amountMinor: bigint; currency: string };

/** A payout from the tenant's own shortcode was paid: the mirror follows. */
export const payFromShortcode = ({ shortcode, amountMinor, currency }: FromShortcode): Posting =>
	makePosting("payout_paid", currency, [
		debit(accounts.mobile, amountMinor),
		credit(floatOf({ shortcode, owner: "tenant" }), amountMinor),
	]);

/**
 * The gateway charged the tenant's own shortcode for a payout or for returning money. Less than 0: it charged
 * less than it said before.
 */
export const chargeShortcode = (
	of: "payout" | "refund",
	{ shortcode, amountMinor, currency }: FromShortcode,
): Posting =>
	makePosting(`${of}_charge`, currency, [
		debit(accounts.mobile, amountMinor),
		credit(floatOf({ shortcode, owner: "tenant" }), amountMinor),
	]);
