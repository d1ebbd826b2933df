import type { Subscription } from "@lango/contracts";
import { requireNoOpenTransaction } from "@lango/tracing";
import { LRUCache } from "lru-cache";
import { type AskOptions, askForSubscription, EntitlementsUnavailable } from "./ask.ts";
import { type Held, isFresh, isUsable, versionOf } from "./held.ts";

export type SnapshotSourceOptions = AskOptions & {
	now: () => Date;
	cacheMax: number;
	/** Called when a snapshot could not be fetched in the background. */
	onTrouble: (error: unknown) => void;
};

/** After a failed attempt in the background the next one waits this long. */
const pauseMs = 5_000;

/** Tenants' snapshots, from memory, from events, or from the subscription service. Ids are in lower case. */
export type SnapshotSource = {
	/** What is known without asking; null: no record, undefined: nothing fresh. */
	peek(tenantId: string): Subscription | null | undefined;
	/**
	 * The last snapshot, however old. Where it is stale or absent a new one is fetched in the background; after a failure there is no
	 * other attempt for this tenant for a while.
	 */
	last(tenantId: string): Held | undefined;
	find(tenantId: string): Promise<Subscription | null>;
	apply(snapshot: Subscription, toldAt: Date): void;
	dropAll(): void;
};

/** One question in flight per tenant; its answer is kept unless an event, or forgetting everything, overtook it. */
export function createSnapshotSource(options: SnapshotSourceOptions): SnapshotSource {
	const { now, cacheMax, ...asking } = options;
	const snapshots = new LRUCache<string, Held>({ max: cacheMax });
	const inFlight = new Map<string, Promise<Held>>();
	const time = () => now().getTime();

	const refresh = (tenantId: string): Promise<Held> => {
		const before = snapshots.get(tenantId);
		const flight: Promise<Held> = learn(asking, tenantId, { before, learnedAt: time() })
			.then((learned) => {
				if (inFlight.get(tenantId) !== flight) return learned; // Everything was forgotten meanwhile: do not bring it back.
				const current = snapshots.get(tenantId);
				const isOvertaken =
					current !== undefined && current !== before && versionOf(current) > versionOf(learned);
				if (isOvertaken) return current;
				snapshots.set(tenantId, learned);
				return learned;
			})
			.finally(() => {
				if (inFlight.get(tenantId) === flight) inFlight.delete(tenantId);
			});
		inFlight.set(tenantId, flight);
		return flight;
	};
	const fresh = (tenantId: string): Held | undefined => {
		const held = snapshots.get(tenantId);
		return held !== undefined && isFresh(held, time()) ? held : undefined;
	};

	const attempt = pauseAfterFailure(options, time);

	return {
		last(tenantId) {
			const held = snapshots.get(tenantId);
			const isStale = held === undefined || !isFresh(held, time());
			if (isStale && !inFlight.has(tenantId)) attempt(tenantId, () => refresh(tenantId));
			return held;
		},
		peek: (tenantId) => fresh(tenantId)?.subscription,
		async find(tenantId) {
			requireNoOpenTransaction("look up a subscription");
			const held = fresh(tenantId);
			if (held !== undefined) return held.subscription;
			try {
				return (await (inFlight.get(tenantId) ?? refresh(tenantId))).subscription;
			} catch (cause) {
				const last = snapshots.get(tenantId);
				if (last !== undefined && isUsable(last, time())) return last.subscription;
				throw new EntitlementsUnavailable(cause);
			}
		},
		apply(subscription, toldAt) {
			const tenantId = subscription.tenant_id.toLowerCase();
			const held = snapshots.get(tenantId);
			if (held !== undefined && versionOf(held) >= subscription.version) return;
			snapshots.set(tenantId, {
				subscription,
				etag: undefined,
				learnedAt: Math.min(toldAt.getTime(), time()),
			});
		},
		dropAll() {
			// Kept as the last known for reads, and too old for everything else. A copy is iterated: `set` moves an entry to
			// the front, so that the cache's own iterator would meet it again without end. Reversed, the order of use stays.
			for (const [tenantId, held] of [...snapshots.entries()].toReversed())
				snapshots.set(tenantId, { ...held, learnedAt: 0 });
			inFlight.clear();
		},
	};
}

/** Runs work in the background; after a failure there is no other attempt of the same name for a while. */
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

type Before = { before: Held | undefined; learnedAt: number };

/** Asks, by the ETag of what was held before; the answer counts from when it was asked for. */
async function learn(asking: AskOptions, tenantId: string, { before, learnedAt }: Before): Promise<Held> {
	const answer = await askForSubscription(asking, tenantId, before?.etag);
	if (answer.kind === "no_record") return { subscription: null, etag: undefined, learnedAt };
	if (answer.kind === "subscription")
		return { subscription: answer.subscription, etag: answer.etag, learnedAt };
	if (before === undefined) throw new Error("unchanged, but nothing was held");
	return { ...before, learnedAt };
}
