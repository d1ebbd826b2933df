import type { PublicTenant } from "@lango/contracts";
import { type Database, violatedConstraint } from "@lango/postgres";
import type { SignOn } from "./sign-on.ts";
import { findTenantBySlug, recordOutlets, recordTenant } from "./tenant.store.ts";
import { type SyncedTenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";

export type SyncDependencies = {
	db: Database;
	signOn: SignOn;
	now: () => Date;
	onTrouble: (error: unknown, about: string) => void;
};

/** Asks the sign-on service about a slug and records the answer. */
export type SyncTenant = {
	/** The tenant as recorded; undefined when there is none of that slug. Throws TenantDrifted or TenantUnavailable. */
	sync(slug: string): Promise<SyncedTenant | undefined>;
	isUnderWay(slug: string): boolean;
	/** Resolves when no question is under way. */
	settled(): Promise<void>;
};

const questionsMax = 50;

/** One question per slug, and not many at once: a flood of made-up slugs must not become one at the sign-on service. */
export function syncTenants(dependencies: SyncDependencies): SyncTenant {
	const asking = new Map<string, Promise<SyncedTenant | undefined>>();
	return {
		sync(slug) {
			const under = asking.get(slug);
			if (under !== undefined) return under;
			if (asking.size >= questionsMax)
				return Promise.reject(new TenantUnavailable(slug, new Error("too many questions are under way")));
			const question = askAndRecord(dependencies, slug).finally(() => asking.delete(slug));
			asking.set(slug, question);
			return question;
		},
		isUnderWay: (slug) => asking.has(slug),
		settled: async () => void (await Promise.allSettled(asking.values())),
	};
}

/** A tenant is of use without its outlets; outlets that cannot be had are told of and come with the next sync. */
async function askAndRecord(
	{ db, signOn, now, onTrouble }: SyncDependencies,
	slug: string,
): Promise<SyncedTenant | undefined> {
	const syncedAt = now();
	const [tenant, outlets] = await Promise.allSettled([signOn.findTenant(slug), signOn.listOutlets(slug)]);
	if (tenant.status === "rejected") throw new TenantUnavailable(slug, tenant.reason);
	if (tenant.value === undefined) return undefined;
	const recorded = await recordWithoutMixing(db, tenant.value, syncedAt);
	if (outlets.status === "rejected") onTrouble(outlets.reason, `the outlets of ${slug}`);
	else await recordOutlets(db, { tenantId: recorded.id, outlets: outlets.value, syncedAt });
	return recorded;
}

/** Records what the sign-on service tells, unless its slug is another tenant's here. */
async function recordWithoutMixing(
	db: Database,
	tenant: PublicTenant,
	syncedAt: Date,
): Promise<SyncedTenant> {
	try {
		return await recordTenant(db, tenant, syncedAt);
	} catch (error) {
		if (violatedConstraint(error) !== "tenants__slug_unique") throw error;
		const local = await findTenantBySlug(db, tenant.slug);
		// Another replica recorded this very tenant at the same moment, and its slug was noticed before its id.
		if (local?.id === tenant.id) return recordTenant(db, tenant, syncedAt);
		throw new TenantDrifted({ slug: tenant.slug, localId: local?.id ?? "unknown", issuedId: tenant.id });
	}
}
