import { createCache } from "@lango/memory";
import type { Database } from "@lango/postgres";
import type { SyncTenant } from "./sync-tenant.ts";
import { findTenantBySlug } from "./tenant.store.ts";
import { type Tenant, TenantDrifted } from "./tenant.ts";
import { invalidateTenants, storeTenant, type TenantCache } from "./tenant-cache.ts";

export type ReconcileDependencies = Pick<SyncTenant, "sync" | "isInFlight"> & {
	db: Database;
	now: () => Date;
	known: TenantCache;
};

const refusedMs = 30_000;
const refusedMax = 1_000;

/** Creates `Tenancy.reconcile`. */
export function reconcileWith({ db, now, known, sync, isInFlight }: ReconcileDependencies) {
	/** The local id of the slug of each refused pair: a refused token does not cause a request each time. */
	const refused = createCache<string>({ now, sizeMax: refusedMax, maxAgeMs: refusedMs });
	return async (slug: string, givenId: string): Promise<Tenant> => {
		const id = givenId.toLowerCase();
		const pair = `${slug} ${id}`;
		const cached = refused.get(pair);
		if (cached !== undefined) throw new TenantDrifted({ slug, localId: cached.value, issuedId: id });
		const before = await findTenantBySlug(db, slug);
		const isJoining = isInFlight(slug);
		const first = await sync(slug);
		// A request that another caller sent earlier may have an outdated response.
		const received = isJoining && first?.id !== id ? await sync(slug) : first;
		invalidateTenants(known, [
			`slug ${slug}`,
			`id ${id}`,
			...(before === undefined ? [] : [`id ${before.id}` as const]),
		]);
		if (received?.id === id) return storeTenant(known.begin(), received);
		const localId = received?.id ?? before?.id ?? "unknown";
		refused.set(pair, localId);
		throw new TenantDrifted({ slug, localId, issuedId: id });
	};
}
