import {
	type AccessTokenClaims,
	type Subscription,
	type SubscriptionStatus,
	subscriptionStatuses,
} from "@lango/contracts";
import type { Entry } from "@lango/memory";

/**
 * What a tenant's plan allows, as far as gates need it. Null instead of it: the tenant has no subscription.
 */
export type Entitlement = Pick<
	Subscription,
	"plan" | "status" | "access" | "features" | "limits" | "products"
>;

/** The information that an entitlement is derived from. */
export type Known = {
	tenantId: string;
	now: Date;
	/** The cached snapshot if it is current; null if the tenant has no subscription. */
	snapshot: Subscription | null | undefined;
	/** The claims of the current token. Undefined for programs with an API key. */
	claims: AccessTokenClaims | undefined;
	/** The grace period: how long an expired subscription keeps its features and allows mutations. */
	graceDays: number;
};

/** How long a snapshot, and the claims of a token, are current. */
export const freshSeconds = 60;

/** The value of an unlimited limit. */
export const unlimited = -1;

/**
 * Returns the most current entitlement (spec §8): from the snapshot, else from the claims of a token of the
 * last 60 s, else undefined, and the service must be asked. Null means no subscription, which claims can
 * never state: they may be missing because the subscription service was unavailable when the token was
 * issued.
 */
export function freshestEntitlement({ snapshot, ...rest }: Known): Entitlement | null | undefined {
	return snapshot === undefined ? entitlementOfClaims(rest) : snapshot;
}

/** The information that the entitlement for a read is derived from: the newer of the two. */
export type NewestKnown = Omit<Known, "snapshot"> & {
	/** The last snapshot of any age. Undefined before the first one. */
	last: Entry<{ subscription: Subscription | null }> | undefined;
};

/**
 * Returns the newest entitlement of any age, from the last snapshot or the token's claims. Null means no
 * subscription; an empty `products` claim means this too. Undefined means unknown: a token issued while the
 * subscription service was unavailable has no `products`.
 */
export function newestEntitlement({ last, ...rest }: NewestKnown): Entitlement | null | undefined {
	const { claims } = rest;
	const isOwn = claims?.tenant_id?.toLowerCase() === rest.tenantId.toLowerCase();
	const snapshot = last?.value.subscription;
	if (!isOwn || claims?.products === undefined) return snapshot;
	if (last?.isInvalidated === false && last.from >= claims.iat * 1_000) return snapshot;
	return readClaims(claims, rest) ?? (claims.products.length === 0 ? null : snapshot);
}

/**
 * Whether mutations are allowed (spec §7): in TRIAL, ACTIVE and PAST_DUE, and in the grace period after the
 * expiry; not without a subscription.
 */
export function mayMutate(entitlement: Entitlement | null): boolean {
	return entitlement !== null && entitlement.access !== "read_only";
}

/** Whether the current plan has the feature. */
export function hasFeature(entitlement: Entitlement | null, code: string): boolean {
	return entitlement?.features.includes(code) ?? false;
}

/** Whether the plan includes the product (spec §2.6). */
export function hasProduct(entitlement: Entitlement | null, product: string): boolean {
	return entitlement?.products.includes(product) ?? false;
}

/** Returns the value of a limit: 0 if the plan does not define it, −1 (`unlimited`) for no limit. */
export function limitOf(entitlement: Entitlement | null, name: string): number {
	return entitlement !== null && Object.hasOwn(entitlement.limits, name)
		? (entitlement.limits[name] ?? 0)
		: 0;
}

function entitlementOfClaims({
	claims,
	tenantId,
	now,
	graceDays,
}: Omit<Known, "snapshot">): Entitlement | undefined {
	if (claims === undefined || claims.tenant_id?.toLowerCase() !== tenantId.toLowerCase()) return undefined;
	const ageSeconds = now.getTime() / 1_000 - claims.iat;
	return Math.abs(ageSeconds) < freshSeconds ? readClaims(claims, { now, graceDays }) : undefined;
}

/** Returns the entitlement stated by the claims, or undefined if they state none. */
function readClaims(
	claims: AccessTokenClaims,
	{ now, graceDays }: Pick<Known, "now" | "graceDays">,
): Entitlement | undefined {
	const { sub_status: status, sub_expires: expires, sub_plan: plan } = claims;
	if (plan === undefined || !isStatus(status)) return undefined;
	const shared = { plan, status, limits: claims.sub_limits ?? {}, products: claims.products ?? [] };
	if (status !== "EXPIRED") return { ...shared, access: "full", features: claims.sub_features ?? [] };
	if (expires === undefined) return undefined;
	const inGrace = now.getTime() < (expires + graceDays * 86_400) * 1_000;
	return inGrace
		? { ...shared, access: "grace", features: claims.sub_features ?? [] }
		: { ...shared, access: "read_only", features: [] };
}

const statuses: readonly string[] = subscriptionStatuses;
const isStatus = (status: string | undefined): status is SubscriptionStatus =>
	status !== undefined && statuses.includes(status);
