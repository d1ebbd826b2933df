import type { Subscription } from "@lango/contracts";
import { freshSeconds } from "./entitlement.ts";

/** A cached response or event. */
export type CachedSnapshot = {
	/** Null if the tenant has no subscription. */
	subscription: Subscription | null;
	etag: string | undefined;
};

/** How long a snapshot may be used after its request or event, also if the service is unavailable. */
export const freshMs = freshSeconds * 1_000;

/**
 * When the subscription changes by itself. A time that had passed at the request means that the two clocks
 * differ: revalidate once a second, not at every request.
 */
export function changesAt({ subscription }: CachedSnapshot, fetchedAt: number): number {
	const next = subscription?.next_change_at ?? null;
	return next === null ? Number.POSITIVE_INFINITY : Math.max(Date.parse(next), fetchedAt + 1_000);
}

/** The version of a snapshot; 0 without a subscription. */
export const versionOf = ({ subscription }: CachedSnapshot): number => subscription?.version ?? 0;
