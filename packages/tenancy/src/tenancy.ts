import { requireNoOpenTransaction } from "@lango/tracing";
import {
	type HeldTenant,
	holdTenants,
	type KnownTenants,
	type Learning,
	type TenantKey,
} from "./known-tenants.ts";
import { reconcileWith } from "./reconcile.ts";
import { askSlugs, type SyncDependencies, syncTenants } from "./sync-tenant.ts";
import { findTenantById, findTenantBySlug } from "./tenant.store.ts";
import { deletedStatus, isSlug, type SyncedTenant, type Tenant, unknownStatus } from "./tenant.ts";

/** Tenants as this service knows them; unknown ones are fetched from the sign-on service just in time (spec §5.12). */
export type Tenancy = {
	/**
	 * The tenant of this slug, made here when only the sign-on service knows it; undefined when nobody does.
	 * Throws TenantDrifted when the sign-on service contradicts itself, TenantUnavailable when it cannot be asked.
	 */
	findBySlug(slug: string): Promise<Tenant | undefined>;
	/**
	 * The tenant with this id. When it is unknown here, `slug` says under which name the sign-on service knows it; left out, that is asked
	 * for, too, at most fifty at once. Throws as `findBySlug`.
	 */
	findById(id: string, slug?: string): Promise<Tenant | undefined>;
	/** What is in memory under a slug, or of an id, without waiting; undefined when that says nothing or the tenant is nobody's. */
	peek(named: { slug: string } | { id: string }): HeldTenant<Tenant> | undefined;
	/** Whether `peek` would answer with the same once more. */
	stands(found: HeldTenant<Tenant>): boolean;
	/**
	 * The tenant that a token or an event names by both, when another id is known here under that slug: the sign-on service is
	 * asked, and what is known here follows it. Throws TenantDrifted, for half a minute without asking again, when it does not
	 * confirm the two; TenantUnavailable when it cannot be asked; nothing is changed then.
	 */
	reconcile(slug: string, id: string): Promise<Tenant>;
	/** Told what the database told of changes (its channel `domain_changed`); what it held of a tenant that changed is dropped. */
	changed(message: string): void;
	/** Whether changes are heard of from now on: what is held is dropped, and nothing is held while they are not. */
	hear(isHearing: boolean): void;
	/** Resolves when no question to the sign-on service is under way. */
	settled(): Promise<void>;
};

export type TenancyOptions = SyncDependencies & {
	/** Tenants kept in memory, at most. */
	tenantsMax?: number;
};

/** A row older than this is asked after again, behind the request that noticed. */
const staleMs = 300_000;

/** Makes the tenancy of one service. */
export function createTenancy({ tenantsMax = 2_000, ...dependencies }: TenancyOptions): Tenancy {
	const { db, now, onTrouble } = dependencies;
	const known = holdTenants({ now, tenantsMax });
	const { sync, isUnderWay, settled } = syncTenants(dependencies);
	const slugOf = askSlugs(dependencies.signOn);
	const loading = new Map<string, Promise<Tenant | undefined>>();
	const reconcile = reconcileWith({ db, now, known, sync, isUnderWay, onAsked: () => loading.clear() });

	const local = (tenant: SyncedTenant, learning: Learning): Tenant | undefined => {
		if (tenant.status === deletedStatus) return undefined;
		const isStale = now().getTime() - tenant.syncedAt.getTime() >= staleMs;
		if (isStale && !isUnderWay(tenant.slug)) {
			const behind = known.begin();
			const learn = (told: Tenant | undefined) => void (told && behind.learn(told));
			sync(tenant.slug).then(learn, (error) => onTrouble(error, `the tenant ${tenant.slug}`));
		}
		return learning.learn(tenant);
	};
	const loadBySlug = async (slug: string): Promise<Tenant | undefined> => {
		const learning = known.begin();
		const found = await findTenantBySlug(db, slug);
		if (found !== undefined) return local(found, learning);
		const told = await sync(slug);
		return told === undefined ? learning.learnAbsent(`slug ${slug}`) : learning.learn(told);
	};
	const loadById = async (id: string, slug: string | undefined): Promise<Tenant | undefined> => {
		const learning = known.begin();
		const found = await findTenantById(db, id);
		if (found !== undefined && found.status !== unknownStatus) return local(found, learning);
		const name = slug ?? (await slugOf(id));
		if (name === undefined) return learning.learnAbsent(`id ${id}`);
		const named = await findBySlug(name);
		return named === undefined || named.id === id ? named : reconcile(named.slug, id);
	};
	/** Many requests of one tenant at once load it once. */
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
		const held = recall(known, `slug ${slug}`);
		return held === undefined ? once(`slug ${slug}`, () => loadBySlug(slug)) : held.tenant;
	};

	return {
		findBySlug,
		reconcile,
		findById: async (givenId, slug) => {
			const id = givenId.toLowerCase();
			const held = recall(known, `id ${id}`);
			return held === undefined ? once(`id ${id} ${slug ?? ""}`, () => loadById(id, slug)) : held.tenant;
		},
		peek: (named) => somebodys(known.get(keyOf(named))),
		stands: known.stands,
		changed(message) {
			const [what, ...changed] = message.split(" ");
			if (what !== "tenant") return;
			known.forget(changed.flatMap((one): TenantKey[] => [`id ${one}`, `slug ${one}`]));
			loading.clear();
		},
		hear(isHearing) {
			known.hear(isHearing);
			loading.clear();
		},
		settled,
	};
}

/** What is held. Who may have to wait for it otherwise has no transaction open, whether it is held or not. */
function recall(known: KnownTenants, key: TenantKey): HeldTenant | undefined {
	requireNoOpenTransaction("look up a tenant");
	return known.get(key);
}

const keyOf = (named: { slug: string } | { id: string }): TenantKey =>
	"slug" in named ? `slug ${named.slug}` : `id ${named.id.toLowerCase()}`;

const isTenant = (held: HeldTenant): held is HeldTenant<Tenant> => held.tenant !== undefined;
const somebodys = (held: HeldTenant | undefined) => (held !== undefined && isTenant(held) ? held : undefined);
