import type { AccessLevel, Subscription } from "@lango/contracts";
import { ClientError } from "../calls/client-error.ts";
import { requestObject } from "../calls/send-request.ts";
import type { ClientConfig } from "../options/options.ts";
import { type Profile, tenantHeaders } from "../profile/profile.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** The result of the subscription check after sign-in (§5.16). */
export type SubscriptionState =
	/** Not checked: for the platform owner, or without a subscriptionUrl. */
	| { readonly kind: "skipped" }
	| { readonly kind: "none" }
	| { readonly kind: "found"; readonly subscription: Subscription }
	/** The service was unavailable. Reading remains possible; services refuse mutations on their own. */
	| { readonly kind: "unknown"; readonly error: ClientError };

/** Loads the tenant's subscription. A failed request is the state `unknown`, not an error. */
export async function loadSubscription(
	config: ClientConfig,
	tenant: Pick<Profile, "isPlatformOwner" | "tenantId" | "tenantSlug">,
	{ accessToken }: Tokens,
): Promise<SubscriptionState> {
	if (tenant.isPlatformOwner || config.subscriptionUrl === undefined) return { kind: "skipped" };
	const tenantId = encodeURIComponent(tenant.tenantId);
	const address = `${config.subscriptionUrl}/api/v1/tenants/${tenantId}/subscription`;
	try {
		const subscription = await requestObject(config, address, {
			headers: { authorization: `Bearer ${accessToken}`, ...tenantHeaders(tenant) },
		});
		return { kind: "found", subscription: subscription as Subscription };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return error.status === 404 ? { kind: "none" } : { kind: "unknown", error };
	}
}

/** Whether the person continues or is sent to /subscribe, and whether that page offers to continue. */
export type SubscriptionVerdict =
	| { readonly go: "on" }
	| {
			readonly go: "subscribe";
			readonly access: Exclude<AccessLevel, "full"> | "none";
			readonly mayContinue: boolean;
	  };

/**
 * ACTIVE, TRIAL and PAST_DUE continue; EXPIRED and no subscription lead to /subscribe (§5.16). With access
 * `grace` or `read_only` that page offers to continue; without a subscription it does not.
 */
export function judgeSubscription(state: SubscriptionState): SubscriptionVerdict {
	if (state.kind === "none") return { go: "subscribe", access: "none", mayContinue: false };
	if (state.kind !== "found" || state.subscription.status !== "EXPIRED") return { go: "on" };
	const access = state.subscription.access === "grace" ? "grace" : "read_only";
	return { go: "subscribe", access, mayContinue: true };
}

/**
 * Whether the tenant has the product (§2.6). The loaded subscription takes precedence over the token, which
 * may be six hours old.
 */
export function hasProduct(
	{ isPlatformOwner, products }: Pick<Profile, "isPlatformOwner" | "products">,
	product: string,
	state: SubscriptionState = { kind: "skipped" },
): boolean {
	if (isPlatformOwner) return true;
	if (state.kind === "found") return state.subscription.products.includes(product);
	return products?.includes(product) ?? false;
}
