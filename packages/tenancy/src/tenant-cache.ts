import { LRUCache } from "lru-cache";
import type { Tenant } from "./tenant.ts";

/** A cache entry. `tenant` is undefined if no tenant has the slug or id. */
export type CachedTenant<T = Tenant | undefined> = {
	readonly tenant: T;
	readonly until: number;
	/** Set when the entry is invalidated, replaced or evicted. */
	isInvalidated: boolean;
};

/**
 * A bounded cache of tenants by id and by slug, including slugs and ids without a tenant. Entries expire.
 */
export type TenantCache = {
	/** Returns the entry, or undefined if there is none or it has expired. */
	get(key: TenantKey): CachedTenant | undefined;
	/** Whether `get` would still return this entry. */
	isCurrent(found: CachedTenant): boolean;
	/** Call it before a lookup, to store its result afterwards. */
	begin(): PendingLookup;
	/** Invalidates entries. Results of lookups in progress are not stored. */
	invalidate(keys: readonly TenantKey[]): void;
	/** Clears the cache. While the process is not subscribed to changes, nothing is stored. */
	setSubscribed(isSubscribed: boolean): void;
};

/** Stores the result of a lookup, unless a change arrived since the lookup began. */
export type PendingLookup = {
	/** Stores a tenant under its id and its slug, and returns it. */
	store(tenant: Tenant): Tenant;
	/** Stores that no tenant has the slug or id, and returns undefined. */
	storeAbsent(key: TenantKey): undefined;
};

export type TenantKey = `id ${string}` | `slug ${string}`;

const tenantMs = 60_000;
const absentMs = 30_000;

/** Creates a cache for `tenantsMax` tenants. The least recently used are evicted first. */
export function createTenantCache({ now, tenantsMax }: { now: () => Date; tenantsMax: number }): TenantCache {
	const entries = new LRUCache<TenantKey, CachedTenant>({
		max: tenantsMax * 2,
		dispose: (dropped) => {
			dropped.isInvalidated = true;
		},
	});
	let changes = 0;
	let isSubscribed = true;
	const put = (key: TenantKey, tenant: Tenant | undefined, forMs: number) => {
		entries.set(key, { tenant, until: now().getTime() + forMs, isInvalidated: false });
	};
	return {
		isCurrent: (found) => !found.isInvalidated && found.until > now().getTime(),
		get(key) {
			const found = entries.get(key);
			return found !== undefined && found.until > now().getTime() ? found : undefined;
		},
		begin() {
			const before = changes;
			const mayKeep = () => isSubscribed && changes === before;
			return {
				store(tenant) {
					if (!mayKeep()) return tenant;
					put(`id ${tenant.id}`, tenant, tenantMs);
					put(`slug ${tenant.slug}`, tenant, tenantMs);
					return tenant;
				},
				storeAbsent(key) {
					if (mayKeep()) put(key, undefined, absentMs);
					return undefined;
				},
			};
		},
		invalidate(keys) {
			changes += 1;
			for (const key of keys) entries.delete(key);
		},
		setSubscribed(isSubscribedNow) {
			changes += 1;
			isSubscribed = isSubscribedNow;
			entries.clear();
		},
	};
}
