import type { Subscription } from "@lango/contracts";
import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";
import { type AskOptions, askForSubscription, EntitlementsUnavailable } from "./ask.ts";
import { type CachedSnapshot, isFresh, isUsable, versionOf } from "./cached-snapshot.ts";

export type SnapshotSourceOptions = AskOptions & {
	now: () => Date;
	cacheMax: number;
	/** Called when a background fetch of a snapshot failed. */
	onTrouble: (error: unknown) => void;
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
	last(tenantId: string): CachedSnapshot | undefined;
	find(tenantId: string): Promise<Subscription | null>;
	apply(snapshot: Subscription, publishedAt: Date): void;
	dropAll(): void;
};

/**
 * Creates the source: one request in flight per tenant. A response is stored unless an event with a higher
 * version or an invalidation came first.
 */
export function createSnapshotSource(options: SnapshotSourceOptions): SnapshotSource {
	const { now, cacheMax, ...asking } = options;
	const snapshots = new LRUCache<string, CachedSnapshot>({ max: cacheMax });
	const inFlight = new Map<string, Promise<CachedSnapshot>>();
	const time = () => now().getTime();

	const refresh = (tenantId: string): Promise<CachedSnapshot> => {
		const before = snapshots.get(tenantId);
		const flight: Promise<CachedSnapshot> = fetchSnapshot(asking, tenantId, { before, fetchedAt: time() })
			.then((fetched) => {
				if (inFlight.get(tenantId) !== flight) return fetched; // The cache was invalidated meanwhile.
				const current = snapshots.get(tenantId);
				const isOvertaken =
					current !== undefined && current !== before && versionOf(current) > versionOf(fetched);
				if (isOvertaken) return current;
				snapshots.set(tenantId, fetched);
				return fetched;
			})
			.finally(() => {
				if (inFlight.get(tenantId) === flight) inFlight.delete(tenantId);
			});
		inFlight.set(tenantId, flight);
		return flight;
	};
	const fresh = (tenantId: string): CachedSnapshot | undefined => {
		const cached = snapshots.get(tenantId);
		return cached !== undefined && isFresh(cached, time()) ? cached : undefined;
	};

	const attempt = pauseAfterFailure(options, time);

	return {
		last(tenantId) {
			const cached = snapshots.get(tenantId);
			const isStale = cached === undefined || !isFresh(cached, time());
			if (isStale && !inFlight.has(tenantId)) attempt(tenantId, () => refresh(tenantId));
			return cached;
		},
		peek: (tenantId) => fresh(tenantId)?.subscription,
		async find(tenantId) {
			requireNoOpenTransaction("look up a subscription");
			const cached = fresh(tenantId);
			if (cached !== undefined) return cached.subscription;
			try {
				return (await (inFlight.get(tenantId) ?? refresh(tenantId))).subscription;
			} catch (cause) {
				const last = snapshots.get(tenantId);
				if (last !== undefined && isUsable(last, time())) return last.subscription;
				throw new EntitlementsUnavailable(cause);
			}
		},
		apply(subscription, publishedAt) {
			const tenantId = subscription.tenant_id.toLowerCase();
			const cached = snapshots.get(tenantId);
			if (cached !== undefined && versionOf(cached) >= subscription.version) return;
			snapshots.set(tenantId, {
				subscription,
				etag: undefined,
				fetchedAt: Math.min(publishedAt.getTime(), time()),
			});
		},
		dropAll() {
			// Stale entries are kept for reads. The loop uses a copy, because `set` moves an entry to the front,
			// where the cache's own iterator would find it again. In reverse order the order of use is kept.
			for (const [tenantId, cached] of [...snapshots.entries()].toReversed())
				snapshots.set(tenantId, { ...cached, fetchedAt: 0 });
			inFlight.clear();
		},
	};
}

/** Runs work in the background. After a failure, work of the same name is skipped for `pauseMs`. */
function pauseAfterFailure(
	{ cacheMax, onTrouble }: Pick<SnapshotSourceOptions, "cacheMax" | "onTrouble">,
	time: () => number,
): (name: string, work: () => Promise<unknown>) => void {
	const failedAt = new LRUCache<string, number>({ max: cacheMax });
	return (name, work) => {
		if (time() < (failedAt.get(name) ?? Number.NEGATIVE_INFINITY) + pauseMs) return;
		work().then(
			() => failedAt.delete(name),
			(error) => {
				failedAt.set(name, time());
				onTrouble(error);
			},
		);
	};
}

type Before = { before: CachedSnapshot | undefined; fetchedAt: number };

/** Fetches a snapshot, revalidating the earlier one by its ETag. Its time is that of the request. */
async function fetchSnapshot(
	asking: AskOptions,
	tenantId: string,
	{ before, fetchedAt }: Before,
): Promise<CachedSnapshot> {
	const answer = await askForSubscription(asking, tenantId, before?.etag);
	if (answer.kind === "no_record") return { subscription: null, etag: undefined, fetchedAt };
	if (answer.kind === "subscription")
		return { subscription: answer.subscription, etag: answer.etag, fetchedAt };
	if (before === undefined) throw new Error("304 without an earlier snapshot");
	return { ...before, fetchedAt };
}
