import type { PublicTenant } from "@lango/contracts";
import { violatedConstraint } from "@lango/postgres";
import { requireNoOpenTransaction } from "@lango/tracing";
import { recordOutlets } from "./outlet.store.ts";
import { type SettleDependencies, settleSlug } from "./settle-slug.ts";
import { type Answer, countAppliedEvents, recordTenant } from "./tenant.store.ts";
import { deletedStatus, type SyncedTenant, TenantUnavailable } from "./tenant.ts";

export type SyncDependencies = SettleDependencies & {
	onError: (error: unknown, about: string) => void;
};

/** Fetches a tenant from the sign-on service and records it. */
export type SyncTenant = {
	/**
	 * Returns the recorded tenant, or undefined if no tenant has this slug or it was deleted. Throws
	 * TenantDrifted or TenantUnavailable.
	 */
	sync(slug: string): Promise<SyncedTenant | undefined>;
	isInFlight(slug: string): boolean;
	/** Resolves when no request is in progress. */
	settled(): Promise<void>;
};

const requestsMax = 50;
/** The number of attempts if an event or another process was faster. */
const attemptsMax = 3;

/**
 * Creates the synchronisation with the sign-on service: one request per slug and `requestsMax` in total, so
 * that a flood of invalid slugs is not forwarded.
 */
export function syncTenants(dependencies: SyncDependencies): SyncTenant {
	const asking = new Map<string, Promise<SyncedTenant | undefined>>();
	return {
		sync(slug) {
			requireNoOpenTransaction("ask the sign-on service about a tenant");
			const under = asking.get(slug);
			if (under !== undefined) return under;
			if (asking.size >= requestsMax)
				return Promise.reject(
					new TenantUnavailable(slug, new Error("too many requests to the sign-on service are in progress")),
				);
			const question = askAndRecord(dependencies, slug).finally(() => asking.delete(slug));
			asking.set(slug, question);
			return question;
		},
		isInFlight: (slug) => asking.has(slug),
		settled: async () => void (await Promise.allSettled(asking.values())),
	};
}

/**
 * Looks up the slug of a tenant id at the sign-on service, with a limited number of requests at a time.
 * Returns undefined if the id was never issued. Throws TenantUnavailable if the service is unavailable.
 */
export function askSlugs(signOn: SyncDependencies["signOn"]): (id: string) => Promise<string | undefined> {
	let inFlight = 0;
	return async (id) => {
		if (inFlight >= requestsMax)
			throw new TenantUnavailable(id, new Error("too many requests to the sign-on service are in progress"));
		inFlight += 1;
		try {
			return (await signOn.findTenantById(id))?.slug;
		} catch (cause) {
			throw new TenantUnavailable(id, cause);
		} finally {
			inFlight -= 1;
		}
	};
}

/**
 * Fetches and records a tenant with its outlets. If only the outlets cannot be fetched, the error is reported
 * and the next sync retries.
 */
async function askAndRecord(dependencies: SyncDependencies, slug: string): Promise<SyncedTenant | undefined> {
	const { db, signOn, now, onError } = dependencies;
	for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
		const asked = { syncedAt: now(), askedAfter: await countAppliedEvents(db) };
		const [tenant, outlets] = await Promise.allSettled([signOn.findTenant(slug), signOn.listOutlets(slug)]);
		if (tenant.status === "rejected") throw new TenantUnavailable(slug, tenant.reason);
		if (tenant.value === undefined) return undefined;
		const recorded = await recordWithoutMixing(dependencies, { ...asked, received: tenant.value });
		if (recorded === undefined) continue;
		if (recorded.status === deletedStatus) return undefined;
		if (outlets.status === "rejected") onError(outlets.reason, `the outlets of ${slug}`);
		else await recordOutlets(db, recorded.id, { ...asked, received: outlets.value });
		return recorded;
	}
	throw new TenantUnavailable(slug, new Error("the tenant changed during every attempt"));
}

/**
 * Records a fetched tenant. If its slug belongs to another tenant in this database, `settleSlug` resolves the
 * conflict.
 */
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
