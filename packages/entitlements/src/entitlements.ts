import type { AccessTokenClaims, Subscription } from "@lango/contracts";
import { tracedFetch } from "@lango/tracing";
import {
	type Entitlement,
	freshestEntitlement,
	hasFeature,
	mayMutate,
	newestEntitlement,
} from "./entitlement.ts";
import { createSnapshotSource } from "./snapshot-source.ts";

export type EntitlementsOptions = {
	/** The URL of the subscription service, without a trailing slash. */
	subscriptionsUrl: string;
	/** An API key that is valid for all tenants. */
	apiKey: string;
	now: () => Date;
	fetch?: typeof fetch;
	/** The maximum number of cached tenants. */
	cacheMax?: number;
	timeoutMs?: number;
	/** Called when a background fetch of a snapshot failed. */
	onError?: (error: unknown) => void;
	/**
	 * The grace period in days, for decisions by a token's claims. A snapshot states itself whether it is in
	 * the grace period.
	 */
	graceDays?: number;
};

/** The tenant, and the claims of the token in use. Programs with an API key have no claims. */
export type EntitlementQuery = { tenantId: string; claims?: AccessTokenClaims | undefined };

export type Entitlements = {
	/**
	 * Returns the tenant's snapshot, at most 60 s old; null if it has no subscription. Throws
	 * EntitlementsUnavailable.
	 */
	find(tenantId: string): Promise<Subscription | null>;
	/**
	 * Returns the most current entitlement, for features, limits and products; null without a subscription.
	 * Throws EntitlementsUnavailable.
	 */
	entitlementOf(query: EntitlementQuery): Promise<Entitlement | null>;
	/**
	 * For reads: returns the newest entitlement of any age; null without a subscription, undefined if unknown.
	 * Synchronous; never throws. A stale or missing snapshot is fetched in the background.
	 */
	lastKnown(query: EntitlementQuery): Entitlement | null | undefined;
	/**
	 * The gate of mutations. False means that the subscription does not allow them. Throws
	 * EntitlementsUnavailable if this is unknown.
	 */
	mayMutate(query: EntitlementQuery): Promise<boolean>;
	/**
	 * HasFeature (spec §4.2). Throws EntitlementsUnavailable if the entitlement is unknown; treat that as 503,
	 * not as "no".
	 */
	hasFeature(query: EntitlementQuery, code: string): Promise<boolean>;
	/** GetLimits (spec §4.2). Empty without a subscription. Throws EntitlementsUnavailable. */
	getLimits(query: EntitlementQuery): Promise<Readonly<Record<string, number>>>;
	/**
	 * Stores the snapshot of an event published at `publishedAt`, if its version is higher than the cached one.
	 */
	apply(snapshot: Subscription, publishedAt?: Date): void;
	/** The number of cache hits, and of requests to the subscription service. */
	lookups(): { hits: number; misses: number };
	/**
	 * Invalidates everything, for example after a reconnect to the bus, because events may have been missed.
	 */
	dropAll(): void;
};

/**
 * A service's view of subscriptions: a bounded cache by tenant, valid for 60 s, with one request in flight
 * per tenant, revalidated by ETag and updated by events. While the subscription service is unavailable,
 * entries younger than 60 s are used; then the gate throws an error, which is not a false "no" (spec §8).
 */
export function createEntitlements(options: EntitlementsOptions): Entitlements {
	const {
		fetch: get = tracedFetch,
		cacheMax = 10_000,
		timeoutMs = 2_000,
		graceDays = 7,
		onError = () => {},
		now,
		...address
	} = options;
	const source = createSnapshotSource({ ...address, fetch: get, cacheMax, timeoutMs, now, onError });
	const find = (tenantId: string) => source.find(tenantId.toLowerCase());
	const lookups = { hits: 0, misses: 0 };
	const entitlementOf = async ({ tenantId, claims }: EntitlementQuery): Promise<Entitlement | null> => {
		const snapshot = source.peek(tenantId.toLowerCase());
		const known = freshestEntitlement({ tenantId, claims, snapshot, now: now(), graceDays });
		if (known !== undefined) {
			lookups.hits += 1;
			return known;
		}
		lookups.misses += 1;
		return find(tenantId);
	};
	return {
		find,
		entitlementOf,
		lastKnown: ({ tenantId, claims }) => {
			const last = source.last(tenantId.toLowerCase());
			return newestEntitlement({ tenantId, claims, last, now: now(), graceDays });
		},
		mayMutate: async (query) => mayMutate(await entitlementOf(query)),
		hasFeature: async (query, code) => hasFeature(await entitlementOf(query), code),
		getLimits: async (query) => (await entitlementOf(query))?.limits ?? {},
		apply: (snapshot, publishedAt = now()) => source.apply(snapshot, publishedAt),
		lookups: () => lookups,
		dropAll: () => source.dropAll(),
	};
}
