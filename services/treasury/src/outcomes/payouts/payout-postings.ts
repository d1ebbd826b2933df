import {
	holdLate,
	holdPayout,
	type PayoutAmounts,
	payFromShortcode,
	payOut,
	releasePayout,
	returnPayout,
	trueUpTransferFee,
} from "../../ledger/postings/paying-out.ts";
import type { Posting } from "../../ledger/postings/posting.ts";
import { collectionFeeOf, type Payout, transferFeeOf } from "../../payouts/payout.ts";
import type { TenantFunds } from "./funds.store.ts";
import { movementBy, type PayoutMovement } from "./payout-outcome.ts";

type Moving = {
	movement: PayoutMovement;
	funds: TenantFunds;
	/** What the gateway says that it charged for the transfer; undefined: the fee of the line. */
	feeMinor: bigint | undefined;
};

/** The postings of a movement of a payout (design 7.2). Pure. */
export function postingsOf(payout: Payout, moving: Moving): readonly Posting[] {
	const movement = movementBy(payout.rail, moving.movement);
	if (payout.rail === "mobile_money") return movement === "pay" ? postingsByShortcode(payout) : [];
	return byCard[movement](amountsOf(payout), moving);
}

/** What is held of a payout that is asked for (design 7.2): one from a shortcode has no hold. Pure. */
export const holdsOf = (payout: Payout): readonly Posting[] =>
	payout.rail === "mobile_money" ? [] : [holdPayout(amountsOf(payout))];

/** Between the accounts of one shortcode its float stays as it is. Its charge is a journal of its own. */
const postingsByShortcode = ({ kind, shortcode, netMinor, currency }: Payout): readonly Posting[] =>
	kind === "own_working" || shortcode === null
		? []
		: [payFromShortcode({ shortcode, amountMinor: netMinor, currency })];

const amountsOf = (payout: Payout): PayoutAmounts => ({
	...{ netMinor: payout.netMinor, currency: payout.currency },
	...{ collectionFeeMinor: collectionFeeOf(payout), transferFeeMinor: transferFeeOf(payout) },
});

const byCard: Readonly<
	Record<PayoutMovement, (amounts: PayoutAmounts, moving: Moving) => readonly Posting[]>
> = {
	release: (amounts) => [releasePayout(amounts)],
	return: (amounts) => [returnPayout(amounts)],
	pay: (amounts, { feeMinor }) => paid(amounts, feeMinor),
	hold_late_and_pay: (amounts, { funds, feeMinor }) => [
		holdLate({ ...amounts, availableMinor: funds.availableMinor }),
		...paid({ ...amounts, collectionFeeMinor: 0n }, feeMinor),
	],
	none: () => [],
};

function paid(amounts: PayoutAmounts, feeMinor: bigint | undefined): readonly Posting[] {
	const { transferFeeMinor, currency } = amounts;
	const chargedMinor = feeMinor ?? transferFeeMinor;
	return [payOut({ ...amounts, chargedMinor }), ...trueUp(chargedMinor - transferFeeMinor, true, currency)];
}

/** The gateway says another fee than the one with which the payout was booked as paid. Pure. */
export const postingsOfFee = (payout: Payout, feeMinor: bigint): readonly Posting[] =>
	trueUp(feeMinor - (payout.feeMinor ?? transferFeeOf(payout)), false, payout.currency);

const trueUp = (differenceMinor: bigint, isPosted: boolean, currency: string): readonly Posting[] =>
	differenceMinor === 0n ? [] : [trueUpTransferFee({ differenceMinor, isPosted, currency })];
