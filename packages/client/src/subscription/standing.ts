import type { AccessLevel, Subscription } from "@lango/contracts";
import { ask } from "../calls/ask.ts";
import { ClientError, isRecord } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import type { Profile } from "../profile/profile.ts";
import type { Tokens } from "../tokens/tokens.ts";

/** What the check after sign-in found (§5.16). */
export type SubscriptionStanding =
	/** Nobody asked: the platform owner has none, or the client was made without a subscriptionUrl. */
	| { readonly kind: "skipped" }
	| { readonly kind: "none" }
	| { readonly kind: "found"; readonly subscription: Subscription }
	/**
	 * The service could not be asked. The person goes on: reads always pass, and services refuse mutations
	 * themselves.
	 */
	| { readonly kind: "unknown"; readonly error: ClientError };

/** Asks for the tenant's subscription; nothing is thrown but bugs. */
export async function loadSubscription(
	config: ClientConfig,
	{ isPlatformOwner, tenantId, tenantSlug }: Pick<Profile, "isPlatformOwner" | "tenantId" | "tenantSlug">,
	{ accessToken }: Tokens,
): Promise<SubscriptionStanding> {
	if (isPlatformOwner || config.subscriptionUrl === undefined) return { kind: "skipped" };
	const address = `${config.subscriptionUrl}/api/v1/tenants/${encodeURIComponent(tenantId)}/subscription`;
	try {
		const subscription = await ask(config, address, {
			headers: {
				authorization: `Bearer ${accessToken}`,
				"x-tenant-id": tenantId,
				"x-tenant-slug": tenantSlug,
			},
		});
		if (!isRecord(subscription)) throw new ClientError("unreadable", { status: 200 });
		return { kind: "found", subscription: subscription as Subscription };
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		return error.status === 404 ? { kind: "none" } : { kind: "unknown", error };
	}
}

/**
 * May they go on, or is /subscribe next? There, `mayContinue` says whether the page offers to go on all
 * the same.
 */
export type SubscriptionVerdict =
	| { readonly go: "on" }
	| {
			readonly go: "subscribe";
			readonly access: Exclude<AccessLevel, "full"> | "none";
			readonly mayContinue: boolean;
	  };

/**
 * ACTIVE, TRIAL and PAST_DUE pass; EXPIRED and no record lead to /subscribe (§5.16). In grace that page
 * warns and offers to continue, at `read_only` to continue reading; without a record there is nothing to
 * continue with.
 */
export function judgeSubscription(standing: SubscriptionStanding): SubscriptionVerdict {
	if (standing.kind === "none") return { go: "subscribe", access: "none", mayContinue: false };
	if (standing.kind !== "found" || standing.subscription.status !== "EXPIRED") return { go: "on" };
	const access = standing.subscription.access === "grace" ? "grace" : "read_only";
	return { go: "subscribe", access, mayContinue: true };
}

/**
 * Does the tenant have the product (§2.6)? The subscription's word goes before the token's, which may be
 * six hours old.
 */
export function hasProduct(
	{ isPlatformOwner, products }: Pick<Profile, "isPlatformOwner" | "products">,
	product: string,
	standing: SubscriptionStanding = { kind: "skipped" },
): boolean {
	if (isPlatformOwner) return true;
	if (standing.kind === "found") return standing.subscription.products.includes(product);
	return products?.includes(product) ?? false;
}
