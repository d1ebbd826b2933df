import type { Said } from "../outcomes/evidence.ts";

/** What a delivery says. Readers return it for every payload and never throw. */
export type Reading =
	| { kind: "attempt"; statement: AttemptStatement }
	| { kind: "confirmation"; confirmation: Confirmation }
	| { kind: "status"; result: StatusResult }
	| { kind: "balance"; result: BalanceResult }
	/** The gateway did not finish a request in time: its outcome is unknown. */
	| { kind: "timeout" }
	/** The money of it is not handled yet, or a person has to look. */
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
	/** Names an event that happens once; undefined: the same may happen again. */
	eventKey: string | undefined;
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
};

/** The answer to a question about the balances of a shortcode. */
export type BalanceResult = ResultIds & {
	code: string;
	accounts: ReadonlyArray<{ name: string; currency: string; currentMinor: bigint; availableMinor: bigint }>;
	finishedAt: Date | undefined;
};

/** The ids of a call of ours whose result comes later. */
export type ResultIds = { originatorId: string | undefined; conversationId: string | undefined };

export const parked = (because: string): Reading => ({ kind: "parked", because });
export const ignored = (because: string): Reading => ({ kind: "ignored", because });
/** A body that does not have the shape of its route. */
export const unreadable: Reading = parked("the body cannot be read");
