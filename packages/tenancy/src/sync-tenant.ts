import type { PublicTenant } from "@lango/contracts";
import { type Database, violatedConstraint } from "@lango/postgres";
import { recordOutlets } from "./outlet.store.ts";
import type { SignOn } from "./sign-on.ts";
import { type Answer, countHearings, findTenantBySlug, recordTenant } from "./tenant.store.ts";
import { deletedStatus, type SyncedTenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";

export type SyncDependencies = {
	db: Database;
	signOn: SignOn;
	now: () => Date;
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
	const asked = { syncedAt: now(), askedAfter: await countHearings(db) };
	const [tenant, outlets] = await Promise.allSettled([signOn.findTenant(slug), signOn.listOutlets(slug)]);
	if (tenant.status === "rejected") throw new TenantUnavailable(slug, tenant.reason);
	if (tenant.value === undefined) return undefined;
	const recorded = await recordWithoutMixing(db, { ...asked, told: tenant.value });
	if (recorded.status === deletedStatus) return undefined;
	if (outlets.status === "rejected") onTrouble(outlets.reason, `the outlets of ${slug}`);
	else await recordOutlets(db, recorded.id, { ...asked, told: outlets.value });
	return recorded;
}

/** Records what the sign-on service answered, unless its slug is another tenant's here. */
async function recordWithoutMixing(db: Database, answer: Answer<PublicTenant>): Promise<SyncedTenant> {
	const { id, slug } = answer.told;
	try {
		return await recordTenant(db, answer);
	} catch (error) {
		if (violatedConstraint(error) !== "tenants__slug_unique") throw error;
		const local = await findTenantBySlug(db, slug);
		// Another replica recorded this very tenant at the same moment, and its slug was noticed before its id.
		if (local?.id === id) return recordTenant(db, answer);
		throw new TenantDrifted({ slug, localId: local?.id ?? "unknown", issuedId: id });
	}
}
