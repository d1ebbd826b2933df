import { type Background, type Database, runInBackground } from "@lango/postgres";
import { eraseTenantRows, listHalfErased, recordErased } from "../tenant.store.ts";

/** The background erasure of deleted tenants' rows. It stops after the current batch of rows. */
export type Erasing = Background;

export type ErasingOptions = {
	db: Database;
	now: () => Date;
	/** Tables with a tenant_id whose rows are kept. */
	kept: readonly string[];
	onError: (error: unknown, about: string) => void;
	/** The polling interval. */
	intervalMs?: number;
};

const rowsAtOnce = 500;
const tenantsAtOnce = 200;
const lookEveryMs = 60_000;
/** By then, every request that started before the deletion has finished. */
const settledMs = 5 * 60_000;

/**
 * Erases the rows of deleted tenants in batches, from every table with a tenant_id except the kept ones:
 * immediately, and again until no earlier request can add rows. An interrupted erasure continues at the next
 * run. Several processes may run it.
 */
export function startErasing({ db, now, kept, onError, intervalMs = lookEveryMs }: ErasingOptions): Erasing {
	const erase = async ({ id, at }: { id: string; at: Date }, isStopped: () => boolean) => {
		let removed = rowsAtOnce;
		const isSettled = now().getTime() - at.getTime() >= settledMs;
		while (removed >= rowsAtOnce) {
			if (isStopped()) return;
			removed = await eraseTenantRows(db, { id, kept, limit: rowsAtOnce });
		}
		if (isSettled) await recordErased(db, { id, now: now() });
	};
	return runInBackground({
		pauseMs: { least: intervalMs, most: intervalMs },
		work: async (isStopped) => {
			for (const one of await listHalfErased(db, tenantsAtOnce))
				await erase(one, isStopped).catch((error) => onError(error, `erase the tenant ${one.id}`));
			return "found";
		},
		onError: (error) => onError(error, "erase deleted tenants"),
	});
}
