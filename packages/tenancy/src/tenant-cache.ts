import { type Cache, createCache } from "@lango/memory";
import type { Tenant } from "./tenant.ts";

/** Tenants by id and by slug (`TenantKey`), including slugs and ids without a tenant. */
export type TenantCache = Cache<Tenant | undefined>;

export type TenantKey = `id ${string}` | `slug ${string}`;

const tenantMs = 60_000;
const absentMs = 30_000;

/** Creates a cache for `tenantsMax` tenants. */
export const createTenantCache = (options: { now: () => Date; tenantsMax: number }): TenantCache =>
	createCache({
		now: options.now,
		sizeMax: options.tenantsMax * 2,
		maxAgeMs: tenantMs,
		untilOf: (tenant, from) => from + (tenant === undefined ? absentMs : tenantMs),
	});

/** Stores a tenant under its id and its slug, and returns it. `store` is that of the cache's `begin`. */
export function storeTenant(store: ReturnType<TenantCache["begin"]>, tenant: Tenant): Tenant {
	store(`id ${tenant.id}`, tenant);
	store(`slug ${tenant.slug}`, tenant);
	return tenant;
}

/** Invalidates entries, and all look-ups in progress: they may end at the same tenant. */
export function invalidateTenants(cache: TenantCache, keys: readonly TenantKey[]): void {
	cache.invalidateWhere((key) => (keys as readonly string[]).includes(key));
}
