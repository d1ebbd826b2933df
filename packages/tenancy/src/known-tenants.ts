import { LRUCache } from "lru-cache";
import type { Tenant } from "./tenant.ts";

/** What is held of a tenant; `tenant` undefined means nobody has that slug or id. */
export type HeldTenant<T = Tenant | undefined> = {
	readonly tenant: T;
	readonly until: number;
	/** Set as soon as it is no longer held, or held anew. */
	isDropped: boolean;
};

/** Tenants in memory, by id and by slug, and slugs and ids that are nobody's; bounded, and believed for a while only. */
export type KnownTenants = {
	/** What is held and still believed. Undefined: nothing is held. */
	get(key: TenantKey): HeldTenant | undefined;
	/** Whether `get` would answer with the same: so that who keeps what it answered need not look again. */
	stands(found: HeldTenant): boolean;
	/** To be asked for before what is learned is looked up. */
	begin(): Learning;
	/** Drops what is held under these keys; what is being looked up now will not be kept. */
	forget(keys: readonly TenantKey[]): void;
	/** Whether changes are heard of: while they are not, nothing is kept. Drops everything. */
	hear(isHearing: boolean): void;
};

/** Keeps what was looked up, unless something changed since the beginning. */
export type Learning = {
	/** Keeps a tenant under its id and its slug, and returns it. */
	learn(tenant: Tenant): Tenant;
	/** Keeps that a slug or an id is nobody's, and returns undefined. */
	learnAbsent(key: TenantKey): undefined;
};

export type TenantKey = `id ${string}` | `slug ${string}`;

const believedMs = 60_000;
const absentMs = 30_000;

/** Makes a memory for that many tenants; the least recently looked at are forgotten first. It keeps what it learns until it is told that it does not hear. */
export function holdTenants({ now, tenantsMax }: { now: () => Date; tenantsMax: number }): KnownTenants {
	const held = new LRUCache<TenantKey, HeldTenant>({
		max: tenantsMax * 2,
		dispose: (dropped) => {
			dropped.isDropped = true;
		},
	});
	let changes = 0;
	let isHearing = true;
	const put = (key: TenantKey, tenant: Tenant | undefined, forMs: number) => {
		held.set(key, { tenant, until: now().getTime() + forMs, isDropped: false });
	};
	return {
		stands: (found) => !found.isDropped && found.until > now().getTime(),
		get(key) {
			const found = held.get(key);
			return found !== undefined && found.until > now().getTime() ? found : undefined;
		},
		begin() {
			const before = changes;
			const mayKeep = () => isHearing && changes === before;
			return {
				learn(tenant) {
					if (!mayKeep()) return tenant;
					put(`id ${tenant.id}`, tenant, believedMs);
					put(`slug ${tenant.slug}`, tenant, believedMs);
					return tenant;
				},
				learnAbsent(key) {
					if (mayKeep()) put(key, undefined, absentMs);
					return undefined;
				},
			};
		},
		forget(keys) {
			changes += 1;
			for (const key of keys) held.delete(key);
		},
		hear(isHearingNow) {
			changes += 1;
			isHearing = isHearingNow;
			held.clear();
		},
	};
}
