import type { Channel, GatewayIds } from "../../payments/attempt.ts";
import type { Payee } from "../../payments/intent.ts";

/** A stored statement about money. Webhooks, answers, queries and people only produce evidence. */
export type Evidence = {
	tenantId: string;
	/** The attempt it is about. */
	attemptId: string;
	/** What is known of its intent; otherwise it is looked up. It never changes. */
	of?: AttemptPlace | undefined;
	source: EvidenceSource;
	/** The delivery, the job or the person it comes from. */
	sourceId: string | undefined;
	said: Said;
	at: Date;
};

/** The intent of an attempt, and its payee. */
type AttemptPlace = { intentId: string; payee: Payee };

/** A stored statement that money came to a shortcode: a confirmation, or the answer to a question. */
export type ReceiptEvidence = {
	/** The tenant of the receipt. */
	tenantId: string;
	/** The intent that its account names, if it collects through this shortcode. */
	intentId: string | undefined;
	/** Whether it pays the tenant's bills, and names none: a standing order for the platform. */
	isForBills?: boolean;
	/** The receipt that a query counted without the number, if its prompt was erased with the tenant. */
	countedId?: string | undefined;
	source: EvidenceSource;
	sourceId: string | undefined;
	/** Of a sender who is not trusted the receipt is only recorded, and nothing is posted. */
	isTrusted: boolean;
	money: ShortcodeMoney;
	at: Date;
};

/** Money that came to a shortcode. */
export type ShortcodeMoney = {
	receipt: string;
	shortcode: string;
	/** The owner of the shortcode's account. */
	custody: "tenant" | "platform";
	amountMinor: bigint;
	currency: string;
	accountRef: string | null;
	payerMasked: string | null;
	paidAt: Date | undefined;
};

/** A stored statement about a charge of the card gateway that has no reference of ours. */
export type ChargeEvidence = {
	/** The tenant of the receipt; the platform owner's if it is not known. */
	tenantId: string;
	/** The intent that it pays; undefined: none of a tenant's own trade. */
	intentId?: string | undefined;
	/** Whether it pays the tenant's bills. */
	isForBills?: boolean;
	source: EvidenceSource;
	sourceId: string | undefined;
	charge: Paid & { amountMinor: bigint; receipt: string; reference: string };
	at: Date;
};

/** A stored decision of a person about what a receipt pays. */
export type AllocationEvidence = {
	/** The tenant of the intent. */
	tenantId: string;
	allocation: {
		receiptId: string;
		intentId: string;
		/** Undefined: as much as the intent can take. */
		amountMinor: bigint | undefined;
		/** What the person saw as left of the receipt; undefined: anything may be left. */
		seenMinor: bigint | undefined;
		/** The platform owner's tenant, if the receipt is there because its tenant was not known. */
		takenFrom: string | undefined;
	};
	source: EvidenceSource;
	sourceId: string | undefined;
	at: Date;
};

/** A stored answer about what a tenant's own shortcode holds. */
export type BalanceEvidence = {
	tenantId: string;
	/** The question that was answered. */
	queryId: string;
	source: EvidenceSource;
	sourceId: string | undefined;
	balance: { shortcode: string; currency: string; amountMinor: bigint };
	/** When the gateway was asked. */
	askedAt: Date;
	at: Date;
};

export type EvidenceSource = "delivery" | "query" | "answer" | "statement" | "request" | "operator" | "event";

/** What is said about an attempt. */
export type Said =
	/** The gateway took the request: it prompts the payer, or shows its page. */
	| ({ kind: "accepted" } & GatewayIds)
	/** The gateway took nothing. */
	| { kind: "rejected"; code: string }
	/** No answer, or one that does not say whether the gateway took the request. */
	| { kind: "unknown"; because: string }
	| { kind: "cancelled"; code: string }
	| { kind: "failed"; code: string }
	| { kind: "expired" }
	| Paid;

/**
 * The money moved. What a statement does not say is undefined: a push query names neither amount nor
 * receipt.
 */
export type Paid = {
	kind: "paid";
	amountMinor: bigint | undefined;
	currency: string;
	receipt: string | undefined;
	paidAt: Date | undefined;
	payerMasked: string | undefined;
	/** What the payer chose on the hosted page. */
	channel?: Channel;
	/** The gateway's fee, where it says one; else it is estimated. */
	feeMinor?: bigint;
};
