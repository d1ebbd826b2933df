import type { Database } from "@lango/postgres";
import { LRUCache } from "lru-cache";
import type { SyncTenant } from "./sync-tenant.ts";
import { findTenantBySlug } from "./tenant.store.ts";
import { type Tenant, TenantDrifted } from "./tenant.ts";
import type { TenantCache } from "./tenant-cache.ts";

export type ReconcileDependencies = Pick<SyncTenant, "sync" | "isUnderWay"> & {
	db: Database;
	now: () => Date;
	known: TenantCache;
	/** Drops lookups in progress, whose results may be outdated. */
	onAsked: () => void;
};

const refusedMs = 30_000;
const refusedMax = 1_000;

/** Creates `Tenancy.reconcile`. */
export function reconcileWith({ db, now, known, sync, isUnderWay, onAsked }: ReconcileDependencies) {
	const refused = createRefusalCache(now);
	return async (slug: string, givenId: string): Promise<Tenant> => {
		const id = givenId.toLowerCase();
		const pair = `${slug} ${id}`;
		const cached = refused.get(pair);
		if (cached !== undefined) throw new TenantDrifted({ slug, localId: cached, issuedId: id });
		const before = await findTenantBySlug(db, slug);
		const isJoining = isUnderWay(slug);
		const first = await sync(slug);
		// A request that another caller sent earlier may have an outdated response.
		const received = isJoining && first?.id !== id ? await sync(slug) : first;
		known.invalidate([
			`slug ${slug}`,
			`id ${id}`,
			...(before === undefined ? [] : [`id ${before.id}` as const]),
		]);
		onAsked();
		if (received?.id === id) return known.begin().store(received);
		const localId = received?.id ?? before?.id ?? "unknown";
		refused.add(pair, localId);
		throw new TenantDrifted({ slug, localId, issuedId: id });
	};
}

/**
 * Remembers refused pairs for a while, with the local id of the slug, so that a refused token does not cause
 * a request each time.
 */
function createRefusalCache(now: () => Date) {
	const cached = new LRUCache<string, { localId: string; until: number }>({ max: refusedMax });
	return {
		get(pair: string): string | undefined {
			const found = cached.get(pair);
			return found !== undefined && found.until > now().getTime() ? found.localId : undefined;
		},
		add(pair: string, localId: string) {
			cached.set(pair, { localId, until: now().getTime() + refusedMs });
		},
	};
}
