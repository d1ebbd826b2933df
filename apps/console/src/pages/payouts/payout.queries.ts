import { listPage } from "@lango/client";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../../platform.ts";
import { type ServiceScope, serviceAddress } from "../../services/service-access.queries.ts";

export const payoutStatuses = [
	...(["awaiting_approval", "approved", "submitting", "unknown", "needs_otp", "in_flight"] as const),
	...(["failed", "rejected", "cancelled", "paid", "reversed"] as const),
] as const;
export const shortcodeKinds = ["customer", "personal_till", "business", "own_working"] as const;
export type ShortcodeKind = (typeof shortcodeKinds)[number];

/** What the gateway calls a way to pay. */
export type Command =
	| "BusinessPayment"
	| "SalaryPayment"
	| "PromotionPayment"
	| "BusinessPayBill"
	| "MerchantToMerchantTransfer";

/** The ways to pay each kind of payee that a person chooses from, the usual one first. */
export const commandsOf: Readonly<Record<ShortcodeKind, readonly Command[]>> = {
	customer: ["BusinessPayment", "SalaryPayment", "PromotionPayment"],
	personal_till: [],
	business: ["BusinessPayBill", "MerchantToMerchantTransfer"],
	own_working: [],
};

/** Money out, as the treasury returns it. */
export type Payout = {
	id: string;
	batch_id: string | null;
	rail: "card_gateway" | "mobile_money";
	kind: "recipient" | ShortcodeKind;
	/** To which account it is paid, masked. */
	to: string;
	/** How the mobile-money gateway pays it; null: the card gateway pays it. */
	command: string | null;
	/** The account at the paybill. */
	account: string | null;
	remarks: string | null;
	status: (typeof payoutStatuses)[number];
	gross_minor: number;
	net_minor: number;
	currency: string;
	lines: Array<{ kind: string; amount_minor: number }>;
	reference: string;
	/** The number that the mobile-money gateway gave it. */
	receipt: string | null;
	failure_code: string | null;
	/** The gateway did not say what became of it: the platform owner has to decide. */
	needs_review: boolean;
	approvals: Array<{ by: string; decision: string; because: string | null; at: string }>;
	created_by: string;
	created_at: string;
	ended_at: string | null;
};

/** A payout to ask for. */
export type PayoutRequest =
	| { rail: "card_gateway"; recipient_id?: string; amount_minor?: number }
	| {
			rail: "mobile_money";
			kind: ShortcodeKind;
			to?: string;
			account?: string;
			command?: Command;
			amount_minor: number;
			remarks: string;
	  };

/** The cache key of everything about a tenant's payouts. */
export const payoutsKey = ({ slug }: Pick<ServiceScope, "slug">) => ["treasury", slug, "payouts"];

/** The address of the tenant's payouts. */
export const payoutsAddress = (platform: Platform, scope: ServiceScope): string =>
	`${serviceAddress(platform, scope)}/payouts`;

type Named = { scope: ServiceScope; id: string };

const addressOf = (platform: Platform, { scope, id }: Named) =>
	`${payoutsAddress(platform, scope)}/${encodeURIComponent(id)}`;

/** Whether something may still happen to a payout, here or by another person. */
export const isOpen = ({ ended_at }: Payout): boolean => ended_at === null;

const pollMilliseconds = 3_000;

/** A payout with its lines and the decisions about it; read again until it has ended. */
export const payoutQuery = (platform: Platform, { scope, id }: Named) =>
	queryOptions({
		queryKey: [...payoutsKey(scope), "one", id],
		queryFn: ({ signal }) =>
			platform.client.call<Payout>(addressOf(platform, { scope, id }), { outlet: "none", signal }),
		refetchInterval: ({ state: { data } }) => (data && isOpen(data) ? pollMilliseconds : false),
	});

/** How many payouts of a bulk request wait for approval. */
export const bulkWaitingQuery = (platform: Platform, { scope, id }: Named) =>
	queryOptions({
		queryKey: [...payoutsKey(scope), "bulk", id, "waiting", "total"],
		queryFn: async ({ signal }) => {
			const query = { batch_id: id, status: "awaiting_approval", limit: 1, total: true };
			const asked = { query, outlet: "none", signal } as const;
			return (await listPage<Payout>(platform.client, payoutsAddress(platform, scope), asked)).total ?? 0;
		},
	});

/** Asks for a payout. The same key with the same request returns the same payout. */
export const requestPayout = (
	platform: Platform,
	scope: ServiceScope,
	{ request, idempotencyKey }: { request: PayoutRequest; idempotencyKey: string },
): Promise<Payout> =>
	platform.client.call(payoutsAddress(platform, scope), {
		...{ outlet: "none", method: "POST", body: request, idempotencyKey },
	});

/** Approves or cancels a payout, or rejects it with a reason. */
export const decidePayout = (
	platform: Platform,
	named: Named,
	{ decision, because }: { decision: "approve" | "reject" | "cancel"; because?: string },
): Promise<unknown> =>
	platform.client.call(`${addressOf(platform, named)}/${decision}`, {
		...{ outlet: "none", method: "POST", ...(because !== undefined && { body: { because } }) },
	});

/** Approves all payouts of a bulk request that wait for it. */
export const approveBulk = (platform: Platform, { scope, id }: Named): Promise<unknown> =>
	platform.client.call(`${payoutsAddress(platform, scope)}/bulk/${encodeURIComponent(id)}/approve`, {
		...{ outlet: "none", method: "POST" },
	});

/** What the platform owner decides about a payout: its address at the platform, and the body. */
export const decideAsOperator = (
	{ client, settings }: Platform,
	id: string,
	{ path, body }: { path: "otp" | "resend-otp" | "resolve"; body?: object },
): Promise<unknown> =>
	client.call(`${settings.services.treasury}/api/v1/platform/payouts/${encodeURIComponent(id)}/${path}`, {
		...{ outlet: "none", method: "POST", ...(body !== undefined && { body }) },
	});
