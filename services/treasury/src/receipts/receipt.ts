import type { Channel } from "../payments/attempt.ts";

/** One movement of money that a gateway vouches for. */
export type Receipt = {
	tenantId: string;
	id: string;
	kind: ReceiptKind;
	gateway: Gateway;
	/** The number that the gateway gave it: of a card the id of the transaction. Null until it is known. */
	receipt: string | null;
	shortcode: string | null;
	channel: ReceiptChannel;
	custody: "tenant" | "platform";
	amountMinor: bigint;
	currency: string;
	feeMinor: bigint;
	/** Whether the gateway has not said yet what it keeps. */
	isFeeEstimated: boolean;
	/** Whether the tenant owes the fee to the platform; not before it is known what the money pays. */
	isFeePassedOn: boolean;
	occurredAt: Date;
	/** What the payer typed as the account number. */
	accountRef: string | null;
	payerMasked: string | null;
	/** `unverified`: it is only said to have moved, and has no posting. */
	state: "unverified" | "verified";
	allocatedMinor: bigint;
	/** What of that the tenant paid to the platform. */
	platformMinor: bigint;
	refundedMinor: bigint;
	/** The same money was counted by another receipt, too: a person has to decide. */
	isDuplicate: boolean;
	/** When the gateway settled it; null before. */
	settledAt: Date | null;
	attemptId: string | null;
	createdAt: Date;
	/** Why a person should look at it. */
	flag: ReceiptFlag | null;
	/** The payout or refund whose money moved; null: a payer paid it. */
	moved: Moved | null;
};

/**
 * `collection`: what a payer paid. `payout`: what was paid out. `reversal`: a payment that was returned, or
 * a payout that came back.
 */
export const receiptKinds = ["collection", "payout", "reversal"] as const;

export type ReceiptKind = (typeof receiptKinds)[number];

export type Moved = { kind: "payout" | "refund"; id: string };

/** `standing_order_closed`: the wallet executed an order that was stopped or has ended. */
export type ReceiptFlag = "standing_order_closed";

export type Gateway = "mobile_money" | "card_gateway";

/** How the payer paid. `account`: at a paybill or till, without a prompt. */
export type ReceiptChannel = Channel | "account";

/** Whether a number has the form of the gateway's receipts: it is not asked about another one. */
export const isReceiptNumber = (receipt: string): boolean => /^[A-Z0-9]{6,20}$/.test(receipt);

/** What of it is neither allocated nor returned. */
export const unallocatedOf = ({ amountMinor, allocatedMinor, refundedMinor }: Receipt): bigint =>
	amountMinor - allocatedMinor - refundedMinor;

/** Whether nothing of it is allocated or returned. */
export const isUnused = ({ allocatedMinor, refundedMinor }: Receipt): boolean =>
	allocatedMinor === 0n && refundedMinor === 0n;

/** Where a receipt is: what it was said to be, or whether something of it waits to be allocated. */
export const receiptPlaces = ["unverified", "unallocated", "allocated"] as const;

export type ReceiptPlace = (typeof receiptPlaces)[number];

/** One of which a part only is used counts as unallocated: its rest waits. Pure. */
export function placeOf(receipt: Receipt): ReceiptPlace {
	if (receipt.state === "unverified") return "unverified";
	return unallocatedOf(receipt) > 0n ? "unallocated" : "allocated";
}

type Prompt = {
	phone: string | null;
	submittedAt: Date | null;
	/** When the gateway said that it was paid. */
	until?: Date;
};

/** The gateway's clock may differ from ours. */
const clockMs = 5 * 60_000;
/** The same moment by a clock that is as far behind, or ahead, as may be. */
export const before = (at: Date): Date => new Date(at.getTime() - clockMs);
export const after = (at: Date): Date => new Date(at.getTime() + clockMs);

/**
 * Whether a receipt may be that of a prompt: from its phone, and in its time. Gateways mask numbers
 * differently: the last three digits are always shown.
 */
export function fitsPrompt(
	{ payerMasked, occurredAt }: Pick<Receipt, "payerMasked" | "occurredAt">,
	{ phone, submittedAt, until }: Prompt,
): boolean {
	if (payerMasked !== null && phone !== null && payerMasked.slice(-3) !== phone.slice(-3)) return false;
	if (submittedAt !== null && occurredAt < before(submittedAt)) return false;
	return until === undefined || occurredAt <= after(until);
}
