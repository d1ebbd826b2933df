import type { Database } from "@lango/postgres";
import { eraseTenantRows, listHalfErased, recordErased } from "./tenant.store.ts";

/** The background erasure of deleted tenants' rows. */
export type Erasing = {
	/** Starts a run, for example after a tenant was deleted. */
	wake(): void;
	/** Stops after the current batch of rows. */
	stop(): Promise<void>;
};

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
	let isStopped = false;
	let isWanted = false;
	let erasing: Promise<void> | undefined;

	const erase = async ({ id, at }: { id: string; at: Date }) => {
		let removed = rowsAtOnce;
		const isSettled = now().getTime() - at.getTime() >= settledMs;
		while (removed >= rowsAtOnce) {
			if (isStopped) return;
			removed = await eraseTenantRows(db, { id, kept, limit: rowsAtOnce });
		}
		if (isSettled) await recordErased(db, { id, now: now() });
	};
	const look = async () => {
		while (isWanted && !isStopped) {
			isWanted = false;
			const left = await listHalfErased(db, tenantsAtOnce);
			for (const one of left) await erase(one).catch((error) => onError(error, `erase the tenant ${one.id}`));
		}
	};
	const wake = () => {
		isWanted = true;
		if (isStopped) return;
		erasing ??= look()
			.catch((error) => onError(error, "erase deleted tenants"))
			.finally(() => {
				erasing = undefined;
				if (isWanted) wake();
			});
	};
	const timer = setInterval(wake, intervalMs);
	wake();
	return {
		wake,
		async stop() {
			isStopped = true;
			clearInterval(timer);
			await erasing;
		},
	};
}
