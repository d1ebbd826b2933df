import { type Client, ClientError, listItems, listPage } from "@lango/client";
import type {
	AddOn,
	Plan,
	Subscription,
	SubscriptionBilling,
	SubscriptionCheckout,
	SubscriptionPayment,
	SubscriptionQuote,
	TenantAddOn,
} from "@lango/contracts";
import { queryOptions } from "@tanstack/react-query";
import type { Platform } from "../platform.ts";

const catalogueMax = 100;
/** An open payment is polled often at first, then less often. */
const soonMilliseconds = 1_500;
const laterMilliseconds = 10_000;
const soonFor = 60_000;

/** The address of a tenant's subscription, or of a resource below it. */
export function subscriptionAddress({ settings }: Platform, tenantId: string, below = ""): string {
	return `${settings.subscriptionsUrl}/api/v1/tenants/${tenantId}/subscription${below}`;
}

/**
 * A tenant's current subscription; null without one. What the client has just found is not asked for again.
 */
export function subscriptionQuery({ client, settings }: Platform, tenantId = "") {
	return queryOptions({
		queryKey: ["subscription", tenantId],
		queryFn: async ({ signal }) => {
			const address = `${settings.subscriptionsUrl}/api/v1/tenants/${tenantId}/subscription`;
			try {
				return await client.call<Subscription>(address, { signal });
			} catch (error) {
				if (error instanceof ClientError && error.status === 404) return null;
				throw error;
			}
		},
		enabled: tenantId !== "",
		initialData: () => subscriptionAtSignIn(client, tenantId),
		initialDataUpdatedAt: () => loadedAt(client),
	});
}

function loadedAt(client: Client): number {
	const state = client.getState();
	return state.status === "ready" ? state.loadedAt : 0;
}

function subscriptionAtSignIn(client: Client, tenantId: string): Subscription | undefined {
	const state = client.getState();
	if (state.status !== "ready" || state.profile.tenantId !== tenantId) return undefined;
	return state.subscription.kind === "found" ? state.subscription.subscription : undefined;
}

/** The plans on offer (§4.2). */
export function plansQuery(platform: Platform) {
	return catalogueQuery<Plan>(platform, "plans");
}

/** The add-ons on offer. */
export function addOnsQuery(platform: Platform) {
	return catalogueQuery<AddOn>(platform, "add-ons");
}

function catalogueQuery<T>({ client, settings }: Platform, what: "plans" | "add-ons") {
	return queryOptions({
		queryKey: ["catalogue", what],
		queryFn: async ({ signal }) => {
			const address = `${settings.subscriptionsUrl}/api/v1/${what}`;
			const all: T[] = [];
			for await (const one of listItems<T>(client, address, {
				isPublic: true,
				itemsMax: catalogueMax,
				signal,
			}))
				all.push(one);
			return all;
		},
		staleTime: 60_000,
	});
}

/** The tenant's add-ons, including scheduled ones; empty without a subscription. */
export function tenantAddOnsQuery(platform: Platform, tenantId = "") {
	return queryOptions({
		queryKey: ["subscription", tenantId, "add-ons"],
		queryFn: ({ signal }) =>
			orWithout([], async () => {
				const address = subscriptionAddress(platform, tenantId, "/add-ons");
				return (await listPage<TenantAddOn>(platform.client, address, { signal })).items;
			}),
		enabled: tenantId !== "",
	});
}

/** The tenant's billing: price, paid period and credit; null without a subscription. For administrators. */
export function billingQuery(platform: Platform, tenantId = "") {
	return queryOptions({
		queryKey: ["subscription", tenantId, "billing"],
		queryFn: ({ signal }) =>
			orWithout(null, () =>
				platform.client.call<SubscriptionBilling>(subscriptionAddress(platform, tenantId, "/billing"), {
					signal,
				}),
			),
		enabled: tenantId !== "",
	});
}

async function orWithout<T, N>(none: N, ask: () => Promise<T>): Promise<T | N> {
	try {
		return await ask();
	} catch (error) {
		if (error instanceof ClientError && error.code === "no_subscription") return none;
		throw error;
	}
}

/**
 * A checkout request: a plan, and the tenant's add-ons to keep. Undefined: those of the open checkout, or
 * all.
 */
type CheckoutRequest = { plan: string; addOns: readonly string[] | undefined };

/** A preview of a checkout. */
export function checkoutQuery(platform: Platform, tenantId: string, { plan, addOns }: CheckoutRequest) {
	const query = { plan, add_ons: addOns?.join(",") };
	return queryOptions({
		queryKey: ["subscription", tenantId, "checkout", query],
		queryFn: ({ signal }) =>
			platform.client.call<SubscriptionCheckout>(subscriptionAddress(platform, tenantId, "/checkout"), {
				query,
				signal,
			}),
		staleTime: 0,
	});
}

/**
 * A quote for a plan or a set of add-ons. It is valid for 15 minutes; a reloaded page requests another one.
 */
export function quoteQuery(
	platform: Platform,
	tenantId: string,
	request: { plan: string } | { add_ons: readonly string[] },
) {
	return queryOptions({
		queryKey: ["subscription", tenantId, "quote", request],
		queryFn: ({ signal }) =>
			platform.client.call<SubscriptionQuote>(subscriptionAddress(platform, tenantId, "/quote"), {
				method: "POST",
				body: request,
				signal,
			}),
		staleTime: Number.POSITIVE_INFINITY,
		gcTime: 0,
	});
}

/** A payment, polled until it is settled. */
export function paymentQuery(platform: Platform, tenantId: string, id: string) {
	return queryOptions({
		queryKey: ["payment", tenantId, id],
		queryFn: ({ signal }) =>
			platform.client.call<SubscriptionPayment>(subscriptionAddress(platform, tenantId, `/payments/${id}`), {
				signal,
			}),
		refetchInterval: ({ state }) => (state.data === undefined ? false : nextLook(state.data, new Date())),
		staleTime: 0,
	});
}

/** The milliseconds until the next poll of a payment; false once it is settled. */
export function nextLook(
	{ status, failure, requested_at }: Pick<SubscriptionPayment, "status" | "failure" | "requested_at">,
	now: Date,
): number | false {
	if (status !== "requested" || failure !== null) return false;
	const waited = now.getTime() - new Date(requested_at).getTime();
	return waited < soonFor ? soonMilliseconds : laterMilliseconds;
}
