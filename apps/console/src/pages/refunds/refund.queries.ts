import { wholeOf } from "../../inbox/inbox.queries.ts";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const refundStatuses = [
	...(["requested", "submitting", "unknown", "pending", "processing", "needs_attention"] as const),
	...(["failed", "processed"] as const),
] as const;

/** Money that is returned to a payer, as the treasury returns it. */
export type Refund = {
	id: string;
	receipt_id: string;
	/** Null: of what a receipt has beside payments. */
	payment_id: string | null;
	method: "card" | "reversal" | "payout";
	/** `gateway`: it was made at the gateway, without a request here. */
	origin: "request" | "gateway";
	status: (typeof refundStatuses)[number];
	/** The gateway did not say what became of it: the platform owner has to decide. */
	needs_review: boolean;
	amount_minor: number;
	currency: string;
	reason: string;
	failure_code: string | null;
	created_at: string;
};

/** What is returned: a payment, or what of a receipt is not allocated. */
export type RefundTarget = { payment_id: string } | { receipt_id: string };

/** A refund to ask for. Without an amount: all that is left. */
export type RefundRequest = RefundTarget & { amount_minor?: number; reason: string; customer_note?: string };

/** A mobile-money payment to return by its receipt number. Without an amount: all that is left. */
export type ReversalRequest = { receipt: string; amount_minor?: number; remarks: string };

/** The cache key of everything about a tenant's refunds. */
export const refundsKey = ({ slug }: Pick<ServiceScope, "slug">) => ["treasury", slug, "refunds"];

/** The address of the tenant's refunds. */
export const refundsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/refunds`;

/** Whether a refund changes by itself soon. */
export const isMoving = ({ status }: Refund): boolean => status !== "failed" && status !== "processed";

/** Asks for a refund. The same key with the same request returns the same refund. */
export const requestRefund = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: { request: RefundRequest; idempotencyKey: string },
): Promise<Refund> =>
	platform.client.call(refundsAddress(platform, scope), {
		...{ ...wholeOf(platform, scope.slug), method: "POST", body: request, idempotencyKey },
	});

/** Asks the gateway to reverse a payment. The same key with the same request returns the same refund. */
export const requestReversal = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: { request: ReversalRequest; idempotencyKey: string },
): Promise<Refund> =>
	platform.client.call(`${serviceAddress(platform, scope)}/reversals`, {
		...{ ...wholeOf(platform, scope.slug), method: "POST", body: request, idempotencyKey },
	});

/** What the platform owner says became of a refund under review. As failed it takes two people. */
export const resolveRefund = (
	{ client, settings }: Platform,
	id: string,
	body: { as: string; because: string },
): Promise<Pick<Refund, "status">> =>
	client.call(`${settings.services.treasury}/api/v1/platform/refunds/${encodeURIComponent(id)}/resolve`, {
		...{ outlet: "none", method: "POST", body },
	});
