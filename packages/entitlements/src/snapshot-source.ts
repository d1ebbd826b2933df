import type { Subscription } from "@lango/contracts";
import { createCache, type Entry } from "@lango/memory";
import { requireNoOpenTransaction } from "@lango/tracing";
import { type AskOptions, askForSubscription, EntitlementsUnavailable } from "./ask.ts";
import { type CachedSnapshot, changesAt, freshMs, versionOf } from "./cached-snapshot.ts";

export type SnapshotSourceOptions = AskOptions & {
	now: () => Date;
	cacheMax: number;
	/** Called when a background fetch of a snapshot failed. */
	onError: (error: unknown) => void;
};

/** The pause after a failed background fetch. */
const pauseMs = 5_000;

/**
 * Snapshots by tenant, from the cache, from events, or from the subscription service. Ids are in lower case.
 */
export type SnapshotSource = {
	/**
	 * Returns the current snapshot from the cache; null if the tenant has no subscription, undefined if there
	 * is none.
	 */
	peek(tenantId: string): Subscription | null | undefined;
	/**
	 * Returns the last snapshot of any age. A stale or missing one is fetched in the background; after a
	 * failure this pauses for `pauseMs` per tenant.
	 */
	last(tenantId: string): Entry<CachedSnapshot> | undefined;
	find(tenantId: string): Promise<Subscription | null>;
	apply(snapshot: Subscription, publishedAt: Date): void;
	dropAll(): void;
};

/**
 * Creates the source: one request in flight per tenant. A response is stored unless an event with a higher
 * version or an invalidation came first.
 */
export function createSnapshotSource(options: SnapshotSourceOptions): SnapshotSource {
	const { now, cacheMax, onError, ...asking } = options;
	const snapshots = createCache<CachedSnapshot>({
		now,
		sizeMax: cacheMax,
		maxAgeMs: freshMs,
		untilOf: changesAt,
		versionOf,
	});
	/** The tenants with a background fetch that is in progress or has failed. */
	const attempted = createCache<true>({ now, sizeMax: cacheMax, maxAgeMs: pauseMs });
	const fetchFrom = (tenantId: string) => () =>
		fetchSnapshot(asking, tenantId, snapshots.last(tenantId)?.value);

	const fetchInBackground = (tenantId: string) => {
		if (attempted.get(tenantId) !== undefined) return;
		attempted.set(tenantId, true);
		snapshots.refresh(tenantId, fetchFrom(tenantId)).then(
			() => attempted.invalidate(tenantId),
			(error) => {
				attempted.set(tenantId, true);
				onError(error);
			},
		);
	};
	return {
		last(tenantId) {
			const current = snapshots.get(tenantId);
			if (current !== undefined) return current;
			fetchInBackground(tenantId);
			return snapshots.last(tenantId);
		},
		peek: (tenantId) => snapshots.get(tenantId)?.value.subscription,
		async find(tenantId) {
			requireNoOpenTransaction("look up a subscription");
			try {
				return (await snapshots.load(tenantId, fetchFrom(tenantId))).subscription;
			} catch (cause) {
				const last = snapshots.last(tenantId);
				const isUsable = last?.isInvalidated === false && now().getTime() < last.from + freshMs;
				if (isUsable) return last.value.subscription;
				throw new EntitlementsUnavailable(cause);
			}
		},
		apply(subscription, publishedAt) {
			const from = Math.min(publishedAt.getTime(), now().getTime());
			snapshots.set(subscription.tenant_id.toLowerCase(), { subscription, etag: undefined }, from);
		},
		dropAll: snapshots.expireAll,
	};
}

/** Fetches a snapshot, revalidating the earlier one by its ETag. */
async function fetchSnapshot(
	asking: AskOptions,
	tenantId: string,
	before: CachedSnapshot | undefined,
): Promise<CachedSnapshot> {
	const answer = await askForSubscription(asking, tenantId, before?.etag);
	if (answer.kind === "no_record") return { subscription: null, etag: undefined };
	if (answer.kind === "subscription") return { subscription: answer.subscription, etag: answer.etag };
	if (before === undefined) throw new Error("304 without an earlier snapshot");
	return before;
}
