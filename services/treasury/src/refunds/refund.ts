/** Money that is returned to its payer. */
export type Refund = {
	tenantId: string;
	id: string;
	receiptId: string;
	/** Null: of what the receipt has beside payments, or of several payments. */
	paymentId: string | null;
	/** `gateway`: it was made there, without a request here. */
	origin: "request" | "gateway";
	method: RefundMethod;
	amountMinor: bigint;
	currency: string;
	status: RefundStatus;
	reason: string;
	customerNote: string | null;
	/** The id that the gateway gave it. */
	gatewayRef: string | null;
	/** The id of the request to the mobile-money gateway: the refund's own, or the gateway's. */
	originatorId: string | null;
	failureCode: string | null;
	/** What the mobile-money gateway charged the shortcode for it; null until it says so. */
	feeMinor: bigint | null;
	/** The gateway did not say what became of it: the platform owner has to decide. */
	needsReview: boolean;
	/** The operator who says that it failed, and when: another one has to agree. */
	proposedBy: string | null;
	proposedAt: Date | null;
	checks: number;
	submittedAt: Date | null;
	nextCheckAt: Date | null;
	version: number;
	createdAt: Date;
	endedAt: Date | null;
};

/** How it is returned: by the card gateway, by a reversal within a day, or by a payout to the payer. */
export type RefundMethod = "card" | "reversal" | "payout";

export const refundStatuses = [
	"requested",
	"submitting",
	"unknown",
	"pending",
	"processing",
	"needs_attention",
	"failed",
	"processed",
] as const;

export type RefundStatus = (typeof refundStatuses)[number];

/** The order of the statuses. An update never lowers it, except of one that failed and was processed. */
export const refundRanks: Readonly<Record<RefundStatus, number>> = {
	requested: 0,
	submitting: 1,
	unknown: 2,
	pending: 3,
	processing: 4,
	needs_attention: 5,
	failed: 8,
	processed: 9,
};

/** Whether its money may still be returned. Pure. */
export const isRefundOpen = ({ status }: Pick<Refund, "status">): boolean =>
	refundRanks[status] < refundRanks.failed;

/** Whether the gateway may have been asked for it. Pure. */
export const isRefundSent = ({ status }: Pick<Refund, "status">): boolean => status !== "requested";

/** Whether the mobile-money gateway has reversed the payment by it: it does so once. Pure. */
export const isReversed = ({ method, status }: Pick<Refund, "method" | "status">): boolean =>
	method === "reversal" && status === "processed";

/** The failure code of one that the platform owner has declared as failed. */
export const resolvedCode = "resolved";
