import type { Channel } from "../payments/attempt.ts";

/** One movement of money that a gateway vouches for. */
export type Receipt = {
	tenantId: string;
	id: string;
	gateway: Gateway;
	/** The number that the gateway gave it: of a card the id of the transaction. Null until it is known. */
	receipt: string | null;
	shortcode: string | null;
	channel: ReceiptChannel;
	custody: "tenant" | "platform";
	amountMinor: bigint;
	currency: string;
	feeMinor: bigint;
	occurredAt: Date;
	/** What the payer typed as the account number. */
	accountRef: string | null;
	payerMasked: string | null;
	/** `unverified`: it is only said to have moved, and has no posting. */
	state: "unverified" | "verified";
	allocatedMinor: bigint;
	refundedMinor: bigint;
	attemptId: string | null;
	createdAt: Date;
};

export type Gateway = "mobile_money" | "card_gateway";

/** How the payer paid. `account`: at a paybill or till, without a prompt. */
export type ReceiptChannel = Channel | "account";

/** What of it is neither allocated nor returned. */
export const unallocatedOf = ({ amountMinor, allocatedMinor, refundedMinor }: Receipt): bigint =>
	amountMinor - allocatedMinor - refundedMinor;

/**
 * Whether a receipt may have been paid from a phone. Gateways mask numbers differently: the last three
 * digits are always shown.
 */
export const fitsPhone = (
	{ payerMasked }: Pick<Receipt, "payerMasked">,
	{ phone }: { phone: string | null },
): boolean => payerMasked === null || phone === null || payerMasked.slice(-3) === phone.slice(-3);
