import type { NewRefund } from "../../refunds/refund.store.ts";
import type { EvidenceSource } from "./evidence.ts";
import type { OddWord } from "./payout-evidence.ts";

type About = { tenantId: string; source: EvidenceSource; sourceId: string | undefined; at: Date };

/** A stored request to return money to a payer. */
export type RefundRequest = About & {
	newRefund: Omit<NewRefund, "tenantId" | "createdAt" | "amountMinor" | "currency"> & {
		/** Undefined: all that is left. */
		amountMinor: bigint | undefined;
	};
	/** A payment, what is not allocated, what was paid to the platform, or whatever the receipt has. */
	of: ReturnedOf;
	/** Whether it may become debt of the tenant: the platform owner asks for it, or the gateway made it. */
	mayBeDebt: boolean;
};

/** What of a receipt is returned. `whole`: what is not allocated first, then the rest of it. */
export type ReturnedOf = "payment" | "suspense" | "platform" | "whole";

/** A stored statement about a refund. */
export type RefundEvidence = About & { refundId: string; refundSaid: RefundSaid };

/** What is said about a refund. */
export type RefundSaid =
	/** It is about to be sent: from now on it may exist at the gateway. */
	| { kind: "submitting" }
	/** The gateway took it. `amountMinor`: what the card gateway returns by it. */
	| {
			kind: "accepted";
			gatewayRef?: string | undefined;
			originatorId?: string | undefined;
			amountMinor?: bigint;
	  }
	/** The gateway took nothing. */
	| { kind: "rejected"; code: string }
	/** Nothing was sent, or the gateway takes nothing now: it is sent later. */
	| { kind: "not_sent"; code: string }
	| { kind: "unknown"; because: string }
	| ({ kind: "pending" } & OddWord)
	| { kind: "processing" }
	| { kind: "needs_attention" }
	| { kind: "failed"; code: string }
	/** `feeMinor`: what the mobile-money gateway charged the shortcode for it. */
	| { kind: "processed"; gatewayRef?: string | undefined; feeMinor?: bigint | undefined }
	/** All questions are asked, and the gateway did not say what became of it. */
	| { kind: "unanswered" };

/** A stored statement about a dispute of a receipt. */
export type DisputeEvidence = About & {
	receiptId: string;
	dispute: DisputeSaid;
};

/** What is said about a dispute. */
export type DisputeSaid = {
	/** The id that the gateway gave it. */
	gatewayId: string;
	status: "open" | "reminded" | "won" | "lost";
	/** The gateway's word for how it ended. */
	resolution: string | null;
	category: string | null;
	amountMinor: bigint;
	/** What the payer gets of one that is lost; undefined: the gateway does not say it. */
	returnedMinor?: bigint | undefined;
	dueAt: Date | undefined;
};

/** What the card gateway states about a dispute of a transaction. */
export type StatedDispute = {
	/** Our reference of the transaction. */
	reference: string | undefined;
	/** The gateway's id of the transaction. */
	transactionId: string | undefined;
	currency: string;
	dispute: DisputeSaid;
};
