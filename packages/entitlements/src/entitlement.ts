import {
	type AccessTokenClaims,
	type Subscription,
	type SubscriptionStatus,
	subscriptionStatuses,
} from "@lango/contracts";

/** What a tenant may do by its plan, as far as a gate needs to know. `null` in its place: the tenant has no subscription record. */
export type Entitlement = Pick<
	Subscription,
	"plan" | "status" | "access" | "features" | "limits" | "products"
>;

/** What is at hand to decide by. */
export type Known = {
	tenantId: string;
	now: Date;
	/** The snapshot held of the tenant, if it is young enough to be used as it stands; null: known to have no record. */
	snapshot: Subscription | null | undefined;
	/** The claims of the token in use; undefined for programs with an API key. */
	claims: AccessTokenClaims | undefined;
	/** How long an expired subscription keeps its features and may change things. */
	graceDays: number;
};

/** A snapshot is used as it stands for this long, and so are the claims of a token. */
export const freshSeconds = 60;

/** A limit of this value is none at all. */
export const unlimited = -1;

/**
 * The freshest thing known (spec §8): the snapshot, else the claims of a token of the last 60 s, else undefined, and
 * somebody has to ask. `null` is a positive "no subscription", which claims can never say: a token without them may
 * only mean that the subscription service was away when it was made.
 */
export function freshestEntitlement({ snapshot, ...rest }: Known): Entitlement | null | undefined {
	return snapshot === undefined ? entitlementOfClaims(rest) : snapshot;
}

/** What a read is judged by: the newer of these two. */
export type AtHand = Omit<Known, "snapshot"> & {
	/** The last snapshot, however old, and when it was true, in milliseconds since 1970; undefined: there was none. */
	last: { subscription: Subscription | null; learnedAt: number } | undefined;
};

/**
 * The newest thing at hand, however old: the last snapshot or the claims of the token. `null` is "no subscription", which an empty
 * `products` claim says too; undefined: nothing is known. A token that was issued while nobody could be asked has no `products`.
 */
export function newestEntitlement({ last, ...rest }: AtHand): Entitlement | null | undefined {
	const { claims } = rest;
	const isOwn = claims?.tenant_id?.toLowerCase() === rest.tenantId.toLowerCase();
	if (!isOwn || claims?.products === undefined) return last?.subscription;
	if (last !== undefined && last.learnedAt >= claims.iat * 1_000) return last.subscription;
	return readClaims(claims, rest) ?? (claims.products.length === 0 ? null : last?.subscription);
}

/** Whether mutations pass (spec §7): in TRIAL, ACTIVE and PAST_DUE, and in the grace after expiry; not without a record. */
export function mayMutate(entitlement: Entitlement | null): boolean {
	return entitlement !== null && entitlement.access !== "read_only";
}

/** Whether the plan, as it stands now, has the feature. */
export function hasFeature(entitlement: Entitlement | null, code: string): boolean {
	return entitlement?.features.includes(code) ?? false;
}

/** Whether the plan includes the product (spec §2.6). */
export function hasProduct(entitlement: Entitlement | null, product: string): boolean {
	return entitlement?.products.includes(product) ?? false;
}

/** The value of a limit: 0 when the plan does not name it, −1 (`unlimited`) for no limit. */
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

/** The entitlement that claims state; undefined when they state none. */
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
