import type { Database } from "@lango/postgres";
import { LRUCache } from "lru-cache";
import type { KnownTenants } from "./known-tenants.ts";
import type { SyncTenant } from "./sync-tenant.ts";
import { findTenantBySlug } from "./tenant.store.ts";
import { type Tenant, TenantDrifted } from "./tenant.ts";

export type ReconcileDependencies = Pick<SyncTenant, "sync" | "isUnderWay"> & {
	db: Database;
	now: () => Date;
	known: KnownTenants;
	/** What is being looked up now may be of before. */
	onAsked: () => void;
};

const refusedMs = 30_000;
const refusedMax = 1_000;

/** Makes `Tenancy.reconcile`. */
export function reconcileWith({ db, now, known, sync, isUnderWay, onAsked }: ReconcileDependencies) {
	const refused = rememberRefusals(now);
	return async (slug: string, givenId: string): Promise<Tenant> => {
		const id = givenId.toLowerCase();
		const pair = `${slug} ${id}`;
		const held = refused.get(pair);
		if (held !== undefined) throw new TenantDrifted({ slug, localId: held, issuedId: id });
		const before = await findTenantBySlug(db, slug);
		const isJoining = isUnderWay(slug);
		const first = await sync(slug);
		// What was asked before the two were named may have been answered before they were so.
		const told = isJoining && first?.id !== id ? await sync(slug) : first;
		known.forget([`slug ${slug}`, `id ${id}`, ...(before === undefined ? [] : [`id ${before.id}` as const])]);
		onAsked();
		if (told?.id === id) return known.begin().learn(told);
		const localId = told?.id ?? before?.id ?? "unknown";
		refused.add(pair, localId);
		throw new TenantDrifted({ slug, localId, issuedId: id });
	};
}

/** What was not confirmed, for a while, and the id the slug has here: a token that is refused asks nobody each time. */
function rememberRefusals(now: () => Date) {
	const held = new LRUCache<string, { localId: string; until: number }>({ max: refusedMax });
	return {
		get(pair: string): string | undefined {
			const found = held.get(pair);
			return found !== undefined && found.until > now().getTime() ? found.localId : undefined;
		},
		add(pair: string, localId: string) {
			held.set(pair, { localId, until: now().getTime() + refusedMs });
		},
	};
}
