import { requireNoOpenTransaction } from "@lango/tracing";
import { reconcileWith } from "./reconcile.ts";
import { askSlugs, type SyncDependencies, syncTenants } from "./sync-tenant.ts";
import { findTenantById, findTenantBySlug } from "./tenant.store.ts";
import { deletedStatus, isSlug, type SyncedTenant, type Tenant, unknownStatus } from "./tenant.ts";
import {
	type CachedTenant,
	createTenantCache,
	type PendingLookup,
	type TenantCache,
	type TenantKey,
} from "./tenant-cache.ts";

/**
 * The tenants of a service. Unknown tenants are fetched from the sign-on service just in time (spec §5.12).
 */
export type Tenancy = {
	/**
	 * Returns the tenant with this slug, or undefined. A tenant that only the sign-on service has is fetched
	 * and recorded. Throws TenantDrifted if the sign-on service's responses contradict each other,
	 * TenantUnavailable if it is unavailable.
	 */
	findBySlug(slug: string): Promise<Tenant | undefined>;
	/**
	 * Returns the tenant with this id, or undefined. `slug` is its slug at the sign-on service, for an unknown
	 * id; without it, the slug is looked up there, with at most fifty requests at once. Throws as `findBySlug`.
	 */
	findById(id: string, slug?: string): Promise<Tenant | undefined>;
	/**
	 * Returns the cache entry of a slug or an id synchronously, or undefined if there is none or it has no
	 * tenant.
	 */
	peek(named: { slug: string } | { id: string }): CachedTenant<Tenant> | undefined;
	/** Whether `peek` would still return this entry. */
	isCurrent(found: CachedTenant<Tenant>): boolean;
	/**
	 * Resolves a conflict: a token or an event has this slug and id, but the slug has another id in this
	 * database. Asks the sign-on service and follows its answer. Throws TenantDrifted if the service does not
	 * confirm the pair (cached for 30 seconds), TenantUnavailable if it is unavailable; nothing is changed in
	 * both cases.
	 */
	reconcile(slug: string, id: string): Promise<Tenant>;
	/** Handles a notification of the channel `domain_changed`: invalidates the entries of a changed tenant. */
	changed(message: string): void;
	/**
	 * Sets whether the process receives notifications of changes. Clears the cache; without notifications
	 * nothing is cached.
	 */
	setSubscribed(isSubscribed: boolean): void;
	/** Resolves when no request to the sign-on service is in progress. */
	settled(): Promise<void>;
};

export type TenancyOptions = SyncDependencies & {
	/** The maximum number of cached tenants. Default: 2,000. */
	tenantsMax?: number;
};

/** A row that was synchronised longer ago is refreshed in the background. */
const staleMs = 300_000;

/** Creates the tenancy of a service. */
export function createTenancy({ tenantsMax = 2_000, ...dependencies }: TenancyOptions): Tenancy {
	const { db, now, onTrouble } = dependencies;
	const known = createTenantCache({ now, tenantsMax });
	const { sync, isUnderWay, settled } = syncTenants(dependencies);
	const slugOf = askSlugs(dependencies.signOn);
	const loading = new Map<string, Promise<Tenant | undefined>>();
	const reconcile = reconcileWith({ db, now, known, sync, isUnderWay, onAsked: () => loading.clear() });

	const local = (tenant: SyncedTenant, lookup: PendingLookup): Tenant | undefined => {
		if (tenant.status === deletedStatus) return undefined;
		const isStale = now().getTime() - tenant.syncedAt.getTime() >= staleMs;
		if (isStale && !isUnderWay(tenant.slug)) {
			const behind = known.begin();
			const store = (received: Tenant | undefined) => void (received && behind.store(received));
			sync(tenant.slug).then(store, (error) => onTrouble(error, `the tenant ${tenant.slug}`));
		}
		return lookup.store(tenant);
	};
	const loadBySlug = async (slug: string): Promise<Tenant | undefined> => {
		const lookup = known.begin();
		const found = await findTenantBySlug(db, slug);
		if (found !== undefined) return local(found, lookup);
		const received = await sync(slug);
		return received === undefined ? lookup.storeAbsent(`slug ${slug}`) : lookup.store(received);
	};
	const loadById = async (id: string, slug: string | undefined): Promise<Tenant | undefined> => {
		const lookup = known.begin();
		const found = await findTenantById(db, id);
		if (found !== undefined && found.status !== unknownStatus) return local(found, lookup);
		const name = slug ?? (await slugOf(id));
		if (name === undefined) return lookup.storeAbsent(`id ${id}`);
		const named = await findBySlug(name);
		return named === undefined || named.id === id ? named : reconcile(named.slug, id);
	};
	/** Concurrent requests for one tenant share one load. */
	const once = (key: TenantKey, load: () => Promise<Tenant | undefined>) => {
		const under = loading.get(key);
		if (under !== undefined) return under;
		const begun = load().finally(() => {
			if (loading.get(key) === begun) loading.delete(key);
		});
		loading.set(key, begun);
		return begun;
	};
	const findBySlug = async (slug: string): Promise<Tenant | undefined> => {
		if (!isSlug(slug)) return undefined;
		const cached = recall(known, `slug ${slug}`);
		return cached === undefined ? once(`slug ${slug}`, () => loadBySlug(slug)) : cached.tenant;
	};

	return {
		findBySlug,
		reconcile,
		findById: async (givenId, slug) => {
			const id = givenId.toLowerCase();
			const cached = recall(known, `id ${id}`);
			return cached === undefined ? once(`id ${id} ${slug ?? ""}`, () => loadById(id, slug)) : cached.tenant;
		},
		peek: (named) => withTenant(known.get(keyOf(named))),
		isCurrent: known.isCurrent,
		changed(message) {
			const [what, ...changed] = message.split(" ");
			if (what !== "tenant") return;
			known.invalidate(changed.flatMap((one): TenantKey[] => [`id ${one}`, `slug ${one}`]));
			loading.clear();
		},
		setSubscribed(isSubscribed) {
			known.setSubscribed(isSubscribed);
			loading.clear();
		},
		settled,
	};
}

/**
 * Returns the cache entry. Checks for an open transaction also on a cache hit, so that a warm cache does not
 * hide the error.
 */
function recall(known: TenantCache, key: TenantKey): CachedTenant | undefined {
	requireNoOpenTransaction("look up a tenant");
	return known.get(key);
}

const keyOf = (named: { slug: string } | { id: string }): TenantKey =>
	"slug" in named ? `slug ${named.slug}` : `id ${named.id.toLowerCase()}`;

const isTenant = (cached: CachedTenant): cached is CachedTenant<Tenant> => cached.tenant !== undefined;
const withTenant = (cached: CachedTenant | undefined) =>
	cached !== undefined && isTenant(cached) ? cached : undefined;
