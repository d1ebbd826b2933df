import type { Subscription } from "@lango/contracts";
import { freshSeconds } from "./entitlement.ts";

/** A cached snapshot. */
export type CachedSnapshot = {
	/** Null if the tenant has no subscription. */
	subscription: Subscription | null;
	etag: string | undefined;
	/** The time of the request or the event, in milliseconds since 1970. */
	fetchedAt: number;
};

/** Whether the snapshot may be used if the service is unavailable. */
export function isUsable({ fetchedAt }: CachedSnapshot, now: number): boolean {
	return now < fetchedAt + freshSeconds * 1_000;
}

/**
 * Whether the snapshot may be used without a request: it is young, and no boundary of the subscription has
 * passed.
 */
export function isFresh(cached: CachedSnapshot, now: number): boolean {
	return isUsable(cached, now) && now < boundaryOf(cached);
}

/**
 * A boundary that had passed at the time of the request means that the two clocks differ: revalidate once a
 * second, not at every request.
 */
function boundaryOf({ subscription, fetchedAt }: CachedSnapshot): number {
	const next = subscription?.next_change_at ?? null;
	if (next === null) return Number.POSITIVE_INFINITY;
	return Math.max(Date.parse(next), fetchedAt + 1_000);
}

/** The version of a snapshot; 0 without a subscription. */
export const versionOf = ({ subscription }: CachedSnapshot): number => subscription?.version ?? 0;
