import { ClientError, listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import { wholeOf } from "../../inbox/inbox.queries.ts";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";
import { type Intent, intentsAddress } from "../intents/intent.queries.ts";
import type { GatewayQuestion } from "../payments/gateway-question.queries.ts";
import { isOpen } from "../payments/intent-status.tsx";
import { billsAddress } from "../subscribe/payment/bill.queries.ts";

export const receiptKinds = ["collection", "payout", "reversal"] as const;
export const receiptStates = ["unverified", "unallocated", "allocated"] as const;

/** What a gateway says was paid, paid out or returned, as the treasury returns it. */
export type Receipt = {
	id: string;
	kind: (typeof receiptKinds)[number];
	state: (typeof receiptStates)[number];
	/** The gateway's number of it; null until it is known. */
	receipt: string | null;
	channel: string;
	shortcode: string | null;
	amount_minor: number;
	unallocated_minor: number;
	/** What a refund of it returns at most; what was paid to the platform only its owner returns. */
	returnable_minor: number;
	currency: string;
	/** What the payer typed as the account number. */
	account_ref: string | null;
	payer_masked: string | null;
	occurred_at: string;
	payout_id: string | null;
	refund_id: string | null;
	payments: Array<{ id: string; intent_id: string | null; amount_minor: number; created_at: string }>;
};

/** The cache key of everything about a tenant's receipts. */
export const receiptsKey = ({ slug }: Pick<ServiceScope, "slug">) => ["treasury", slug, "receipts"];

/** The address of the tenant's receipts. */
export const receiptsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/receipts`;

const addressOf = (platform: Platform, scope: ServiceScope, id: string) =>
	`${receiptsAddress(platform, scope)}/${encodeURIComponent(id)}`;

/** A receipt with the payments that were made of it. */
export const receiptQuery = (platform: Platform, scope: ServiceScope, id: string) =>
	queryOptions({
		queryKey: [...receiptsKey(scope), "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Receipt>(addressOf(platform, scope, id), {
				...{ ...wholeOf(platform, scope.slug), signal },
			}),
	});

/** The gateway's code of a question about a receipt that it does not know. */
export const unknownReceipt = "2032";

/** Asks the gateway about a receipt that it has not confirmed. */
export const verifyReceipt = (
	platform: Platform,
	scope: ServiceScope,
	id: string,
): Promise<GatewayQuestion> =>
	platform.client.call(`${addressOf(platform, scope, id)}/verify`, {
		...{ ...wholeOf(platform, scope.slug), method: "POST" },
	});

/** Whether a bill can be paid, and contains a text. */
const isDue = (bill: Intent, { text, currency }: { text: string; currency: string }): boolean =>
	isOpen(bill) &&
	bill.currency === currency &&
	[bill.description, bill.account_code].some((one) => one.toLowerCase().includes(text.toLowerCase()));

/** A tenant whose plan has no treasury has bills only. */
function nothingWithoutProduct(error: unknown): Intent[] {
	if (error instanceof ClientError && error.code === "product_unavailable") return [];
	throw error;
}

/** So many payments are offered at once; a search finds the others. */
export const dueIntentsMax = 20;

/**
 * What is to be paid to the tenant and contains a text, or is of that amount; the newest first. `withBills`:
 * before them, what the tenant has to pay to the platform.
 */
export const dueIntentsQuery = (
	platform: Platform,
	scope: ServiceScope,
	{ text, currency, withBills }: { text: string; currency: string; withBills: boolean },
) =>
	queryOptions({
		queryKey: ["treasury", scope.slug, "intents", "due", currency, text, withBills ? "bills" : ""],
		queryFn: async ({ signal }) => {
			const query = { is_due: true, currency, q: text || undefined, limit: dueIntentsMax };
			const address = intentsAddress(platform, scope);
			const options = { outlet: "none", signal } as const;
			const intents = listPage<Intent>(platform.client, address, { query, ...options }).then(
				({ items }) => items,
			);
			if (!withBills) return intents;
			const bills = listPage<Intent>(platform.client, billsAddress(platform, scope.slug), {
				...{ query: { limit: 100 }, ...options },
			});
			const [{ items }, own] = await Promise.all([bills, intents.catch(nothingWithoutProduct)]);
			return [...items.filter((bill) => isDue(bill, { text, currency })), ...own];
		},
	});

/**
 * Allocates a receipt to an intent; without an amount as much as the intent needs. It is refused if another
 * amount is left of the receipt than the person saw: a request that is sent again takes effect once.
 */
export const allocateReceipt = (
	platform: Platform,
	{ scope, id }: { scope: ServiceScope; id: string },
	allocation: { intent_id: string; amount_minor?: number; unallocated_minor: number },
): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, scope, id)}/allocate`, {
		...{ ...wholeOf(platform, scope.slug), method: "POST", body: allocation },
	});
