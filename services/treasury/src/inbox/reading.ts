import type { ChargedCard, SubscriptionSaid } from "../outcomes/evidence/card-evidence.ts";
import type { Said } from "../outcomes/evidence/evidence.ts";
import type { PayoutSaid } from "../outcomes/evidence/payout-evidence.ts";
import type { RefundSaid, StatedDispute } from "../outcomes/evidence/refund-evidence.ts";

/** What a delivery says. Readers return it for every payload and never throw. */
export type Reading =
	| { kind: "attempt"; statement: AttemptStatement }
	| { kind: "confirmation"; confirmation: Confirmation }
	| { kind: "refund"; event: RefundEvent }
	| { kind: "dispute"; event: DisputeEvent }
	| { kind: "reversal"; result: ReversalResult }
	| { kind: "transfer"; statement: TransferStatement }
	| { kind: "card_subscription"; event: CardSubscriptionEvent }
	/** The cards of these subscriptions expire soon, by the gateway's codes. */
	| { kind: "cards_expiring"; subscriptionCodes: readonly string[] }
	| { kind: "payout"; result: PayoutResult }
	| { kind: "status"; result: StatusResult }
	| { kind: "balance"; result: BalanceResult }
	| { kind: "consent"; result: ConsentResult }
	/** The gateway did not finish a request in time: its outcome is unknown. */
	| { kind: "timeout" }
	/** A person has to look. */
	| { kind: "parked"; because: string }
	| { kind: "ignored"; because: string };

/** A statement about one try to collect. */
export type AttemptStatement = {
	/** Our reference, where the gateway repeats it. */
	reference: string | undefined;
	merchantRequestId: string | undefined;
	checkoutRequestId: string | undefined;
	/** The number that paid, as the gateway writes it. */
	phone: string | undefined;
	said: Said;
	/** The tenant that a charge names: compared with ours, never used to find one. */
	claimedTenantId?: string | undefined;
	/** The card that was charged, if it can be charged again. */
	card?: ChargedCard | undefined;
	/** Names an event that happens once; undefined: the same may happen again. */
	eventKey: string | undefined;
};

/** A statement of the card gateway about a card subscription. What it does not say is undefined. */
export type CardSubscriptionEvent = {
	subscriptionCode: string;
	planCode: string | undefined;
	customerCode: string | undefined;
	/** A secret: it ends and resumes the subscription. */
	emailToken: string | undefined;
	nextPaymentAt: Date | undefined;
	said: SubscriptionSaid | undefined;
};

/** A statement of the card gateway about a refund of a transaction: it does not name the refund. */
export type RefundEvent = {
	/** The reference of the transaction. */
	reference: string;
	amountMinor: bigint;
	currency: string;
	/** The gateway's id of the refund, which one kind of event has. */
	gatewayRef: string | undefined;
	said: RefundSaid;
};

/** A statement of the card gateway about a dispute of a transaction. */
export type DisputeEvent = StatedDispute & { eventKey: string };

/** A statement of the card gateway about a transfer. */
export type TransferStatement = {
	/** Ours. */
	reference: string;
	amountMinor: bigint | undefined;
	currency: string | undefined;
	said: PayoutSaid;
	/** Names an event that happens once. */
	eventKey: string;
};

/** The result of a payout from a shortcode. */
export type PayoutResult = ResultIds & {
	/** `0`: paid. */
	code: string;
	/** Of a failed one it is a placeholder, and undefined here. */
	receipt: string | undefined;
	amountMinor: bigint | undefined;
	finishedAt: Date | undefined;
	/** What the gateway charged the shortcode for it. The result of a payout to a phone does not say it. */
	chargeMinor: bigint | undefined;
};

/** A payment to a paybill or till: the money has moved. */
export type Confirmation = {
	receipt: string;
	amountMinor: bigint;
	shortcode: string;
	/** What the payer typed; a prompt sends the intent's code. */
	accountRef: string | undefined;
	payerMasked: string | undefined;
	occurredAt: Date | undefined;
};

/** The result of a reversal. */
export type ReversalResult = ResultIds & {
	/** `0`: the payer has the money. */
	code: string;
	/** The number of the reversal. */
	receipt: string | undefined;
	amountMinor: bigint | undefined;
	/** What the gateway charged the shortcode for it. */
	chargeMinor: bigint | undefined;
};

/** The answer to a question about one transaction. */
export type StatusResult = ResultIds & {
	/** `0`: the question was answered. Every other code leaves the transaction as it is. */
	code: string;
	/** `Completed`, `Failed`, …; undefined if the question was not answered. */
	status: string | undefined;
	receipt: string | undefined;
	amountMinor: bigint | undefined;
	shortcode: string | undefined;
	finishedAt: Date | undefined;
	/** What the gateway charged the one that paid. */
	chargeMinor: bigint | undefined;
};

/** The answer to a question about the balances of a shortcode. */
export type BalanceResult = ResultIds & {
	code: string;
	accounts: ReadonlyArray<{ name: string; currency: string; currentMinor: bigint; availableMinor: bigint }>;
	finishedAt: Date | undefined;
};

/** What a payer answered to a standing order. */
export type ConsentResult = {
	/** `0`: the payer consented. */
	code: string;
	/** The id that the gateway gave the request. */
	requestId: string;
};

/** The ids of a call of ours whose result comes later. */
export type ResultIds = { originatorId: string | undefined; conversationId: string | undefined };

export const parked = (because: string): Reading => ({ kind: "parked", because });
export const ignored = (because: string): Reading => ({ kind: "ignored", because });
/** A body that does not have the shape of its route. */
export const unreadable: Reading = parked("the body cannot be read");
