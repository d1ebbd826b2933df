import type { PublicTenant } from "@lango/contracts";
import { violatedConstraint } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { recordOutlets } from "./outlet.store.ts";
import { type SettleDependencies, settleSlug } from "./settle-slug.ts";
import { type Answer, countHearings, recordTenant } from "./tenant.store.ts";
import { deletedStatus, type SyncedTenant, TenantUnavailable } from "./tenant.ts";

export type SyncDependencies = SettleDependencies & {
	onTrouble: (error: unknown, about: string) => void;
};

/** Asks the sign-on service about a slug and records the answer. */
export type SyncTenant = {
	/** The tenant as recorded; undefined when there is none of that slug, or it was deleted. Throws TenantDrifted or TenantUnavailable. */
	sync(slug: string): Promise<SyncedTenant | undefined>;
	isUnderWay(slug: string): boolean;
	/** Resolves when no question is under way. */
	settled(): Promise<void>;
};

const questionsMax = 50;
/** How often it is asked anew when an event or another process was first. */
const attemptsMax = 3;

/** One question per slug, and not many at once: a flood of made-up slugs must not become one at the sign-on service. */
export function syncTenants(dependencies: SyncDependencies): SyncTenant {
	const asking = new Map<string, Promise<SyncedTenant | undefined>>();
	return {
		sync(slug) {
			requireNoOpenTransaction("ask the sign-on service about a tenant");
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

/**
 * Asks under which slug the sign-on service knows an id, so many at once at most; undefined when there never was one. Throws
 * TenantUnavailable when it cannot be asked.
 */
export function askSlugs(signOn: SyncDependencies["signOn"]): (id: string) => Promise<string | undefined> {
	let underWay = 0;
	return async (id) => {
		if (underWay >= questionsMax)
			throw new TenantUnavailable(id, new Error("too many questions are under way"));
		underWay += 1;
		try {
			return (await signOn.findTenantById(id))?.slug;
		} catch (cause) {
			throw new TenantUnavailable(id, cause);
		} finally {
			underWay -= 1;
		}
	};
}

/** A tenant is of use without its outlets; outlets that cannot be had are told of and come with the next sync. */
async function askAndRecord(dependencies: SyncDependencies, slug: string): Promise<SyncedTenant | undefined> {
	const { db, signOn, now, onTrouble } = dependencies;
	for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
		const asked = { syncedAt: now(), askedAfter: await countHearings(db) };
		const [tenant, outlets] = await Promise.allSettled([signOn.findTenant(slug), signOn.listOutlets(slug)]);
		if (tenant.status === "rejected") throw new TenantUnavailable(slug, tenant.reason);
		if (tenant.value === undefined) return undefined;
		const recorded = await recordWithoutMixing(dependencies, { ...asked, told: tenant.value });
		if (recorded === undefined) continue;
		if (recorded.status === deletedStatus) return undefined;
		if (outlets.status === "rejected") onTrouble(outlets.reason, `the outlets of ${slug}`);
		else await recordOutlets(db, recorded.id, { ...asked, told: outlets.value });
		return recorded;
	}
	throw new TenantUnavailable(slug, new Error("it changed each time while it was asked for"));
}

/** Records what the sign-on service answered; where its slug is another tenant's here, it is settled whose it is. */
async function recordWithoutMixing(
	dependencies: SyncDependencies,
	answer: Answer<PublicTenant>,
): Promise<SyncedTenant | undefined> {
	try {
		return await recordTenant(dependencies.db, answer);
	} catch (error) {
		if (violatedConstraint(error) !== "tenants__slug_unique") throw error;
		return settleSlug(dependencies, answer);
	}
}
