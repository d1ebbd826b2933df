import type { Database } from "@lango/postgres";
import { eraseTenantRows, listHalfErased, recordErased } from "./tenant.store.ts";

/** Erases behind the scenes what is left of deleted tenants. */
export type Erasing = {
	/** A tenant may have been deleted just now. */
	wake(): void;
	/** Ends after the rows under way. */
	stop(): Promise<void>;
};

export type ErasingOptions = {
	db: Database;
	now: () => Date;
	/** Tables with a tenant_id that keep their rows. */
	kept: readonly string[];
	onTrouble: (error: unknown, about: string) => void;
	/** How often it is looked for what is left. */
	intervalMs?: number;
};

const rowsAtOnce = 500;
const tenantsAtOnce = 200;
const lookEveryMs = 60_000;
/** A request that began before the tenant was deleted is over by then, and has written what it was going to write. */
const settledMs = 5 * 60_000;

/**
 * Erases every row that a deleted tenant has here, some at a time, from all tables with a tenant_id but the kept ones: at
 * once, and again until no request of before can add to them. What was interrupted goes on with the next look. Any number
 * of processes may do so.
 */
export function startErasing({
	db,
	now,
	kept,
	onTrouble,
	intervalMs = lookEveryMs,
}: ErasingOptions): Erasing {
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
			for (const one of left)
				await erase(one).catch((error) => onTrouble(error, `erase the tenant ${one.id}`));
		}
	};
	const wake = () => {
		isWanted = true;
		if (isStopped) return;
		erasing ??= look()
			.catch((error) => onTrouble(error, "erase deleted tenants"))
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
