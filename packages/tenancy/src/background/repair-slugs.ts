import { type Background, type Database, runInBackground } from "@lango/postgres";
import { clearWantedSlug, listWantedSlugs } from "../repoint.store.ts";
import type { Tenancy } from "../tenancy.ts";
import { TenantDrifted } from "../tenant.ts";

/**
 * The background repair of tenants whose slug in an event belongs to another tenant in this database. It
 * stops after the current tenant.
 */
export type SlugRepair = Background;

export type SlugRepairOptions = {
	db: Database;
	tenancy: Pick<Tenancy, "reconcile">;
	onError: (error: unknown, about: string) => void;
	/** The polling interval. */
	intervalMs?: number;
};

const tenantsAtOnce = 100;
const lookEveryMs = 60_000;

/**
 * Asks the sign-on service about each tenant that was received with a slug of another tenant. If the service
 * is unavailable, the next run retries. If it does not confirm the slug, the tenant keeps its id as slug.
 * Several processes may run it.
 */
export function startSlugRepair({
	db,
	tenancy,
	onError,
	intervalMs = lookEveryMs,
}: SlugRepairOptions): SlugRepair {
	const repair = async (one: { id: string; slug: string }) => {
		try {
			await tenancy.reconcile(one.slug, one.id);
		} catch (error) {
			if (error instanceof TenantDrifted) await clearWantedSlug(db, one);
			onError(error, `the slug ${one.slug}`);
		}
	};
	return runInBackground({
		pauseMs: { least: intervalMs, most: intervalMs },
		work: async (isStopped) => {
			for (const one of await listWantedSlugs(db, tenantsAtOnce)) if (!isStopped()) await repair(one);
			return "found";
		},
		onError: (error) => onError(error, "repair slugs"),
	});
}
