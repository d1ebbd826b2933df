import type { EvidenceSource } from "./evidence.ts";

/** A stored statement about a payout. */
export type PayoutEvidence = {
	tenantId: string;
	payoutId: string;
	source: EvidenceSource;
	/** The delivery, the question or the person it comes from. */
	sourceId: string | undefined;
	payout: PayoutSaid;
	at: Date;
};

/** A stored statement about payouts of one request. */
export type PayoutsEvidence = Omit<PayoutEvidence, "payoutId" | "payout"> & {
	payoutIds: readonly string[];
	/** requested: their amounts are held; approved: they are sent. */
	decided: "requested" | "approved";
};

/** What is said about a payout. */
export type PayoutSaid =
	| { kind: "approved" }
	| { kind: "rejected"; because: string }
	/** With a code: it was not approved in time. */
	| { kind: "cancelled"; code?: string }
	/** It is about to be sent. */
	| { kind: "submitted" }
	/** The gateway took nothing, and the same request may succeed later. */
	| {
			kind: "not_sent";
			code: string;
			/** Whether it is refused until the platform owner has changed something. */
			needsOperator: boolean;
	  }
	/** No answer, or one that does not say whether the gateway took it. */
	| { kind: "unknown"; because: string }
	/** The gateway waits for a one-time password. */
	| { kind: "needs_otp"; transferCode?: string | undefined }
	/** The gateway took it. */
	| ({ kind: "in_flight" } & PayoutNames & OddWord)
	| PayoutPaid
	| { kind: "failed"; code: string }
	| { kind: "reversed" };

/** The ids that a gateway gives a payout. */
type PayoutNames = { transferCode?: string | undefined; conversationId?: string | undefined };

/** The gateway's word for a state that the treasury does not know: a person has to look. */
export type OddWord = { oddWord?: string };

/** The money moved. What a statement does not say is undefined. */
type PayoutPaid = {
	kind: "paid";
	amountMinor?: bigint | undefined;
	currency?: string | undefined;
	/** What the gateway charged for it: the platform for a transfer, else the tenant's shortcode. */
	feeMinor?: bigint | undefined;
	receipt?: string | undefined;
	paidAt?: Date | undefined;
	transferCode?: string | undefined;
};
