import { reconcileWith } from "./reconcile.ts";
import { askSlugs, type SyncDependencies, syncTenants } from "./sync-tenant.ts";
import { findTenantById, findTenantBySlug } from "./tenant.store.ts";
import { deletedStatus, isSlug, type SyncedTenant, type Tenant, unknownStatus } from "./tenant.ts";
import {
	createTenantCache,
	invalidateTenants,
	storeTenant,
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
	 * Returns the cached tenant of a slug or an id synchronously, or undefined if it is not cached or has no
	 * tenant.
	 */
	peek(named: { slug: string } | { id: string }): Tenant | undefined;
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
	const { db, now, onError } = dependencies;
	const known = createTenantCache({ now, tenantsMax });
	const { sync, isInFlight, settled } = syncTenants(dependencies);
	const slugOf = askSlugs(dependencies.signOn);
	const reconcile = reconcileWith({ db, now, known, sync, isInFlight });

	const local = (tenant: SyncedTenant, store: ReturnType<TenantCache["begin"]>): Tenant | undefined => {
		if (tenant.status === deletedStatus) return undefined;
		const isStale = now().getTime() - tenant.syncedAt.getTime() >= staleMs;
		if (isStale && !isInFlight(tenant.slug)) {
			const storeSynced = known.begin();
			sync(tenant.slug).then(
				(received) => void (received && storeTenant(storeSynced, received)),
				(error) => onError(error, `the tenant ${tenant.slug}`),
			);
		}
		return storeTenant(store, tenant);
	};
	const loadBySlug = async (slug: string): Promise<Tenant | undefined> => {
		const store = known.begin();
		const found = await findTenantBySlug(db, slug);
		if (found !== undefined) return local(found, store);
		const received = await sync(slug);
		if (received !== undefined) return storeTenant(store, received);
		store(`slug ${slug}`, undefined);
		return undefined;
	};
	const loadById = async (id: string, slug: string | undefined): Promise<Tenant | undefined> => {
		const store = known.begin();
		const found = await findTenantById(db, id);
		if (found !== undefined && found.status !== unknownStatus) return local(found, store);
		const name = slug ?? (await slugOf(id));
		if (name === undefined) {
			store(`id ${id}`, undefined);
			return undefined;
		}
		const named = await findBySlug(name);
		return named === undefined || named.id === id ? named : reconcile(named.slug, id);
	};
	const findBySlug = async (slug: string): Promise<Tenant | undefined> =>
		isSlug(slug) ? known.load(`slug ${slug}`, () => loadBySlug(slug)) : undefined;

	return {
		findBySlug,
		reconcile,
		findById: async (givenId, slug) => {
			const id = givenId.toLowerCase();
			return known.load(`id ${id}`, () => loadById(id, slug), slug);
		},
		peek: (named) => known.get(keyOf(named))?.value,
		changed(message) {
			const [what, ...changed] = message.split(" ");
			if (what !== "tenant") return;
			const keys = changed.flatMap((one): TenantKey[] => [`id ${one}`, `slug ${one}`]);
			invalidateTenants(known, keys);
		},
		setSubscribed: known.setListening,
		settled,
	};
}

const keyOf = (named: { slug: string } | { id: string }): TenantKey =>
	"slug" in named ? `slug ${named.slug}` : `id ${named.id.toLowerCase()}`;
