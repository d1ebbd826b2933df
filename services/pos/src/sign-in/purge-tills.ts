import type { Database } from "@lango/postgres";
import { skewSeconds } from "@lango/tokens";
import { countLifeSeconds } from "../pins/pin-lock.ts";
import { purgeTills } from "./terminal-session.store.ts";

const rowsAtOnce = 500;
const batchesMax = 100;

/**
 * Removes expired sessions and expired counts in batches until the signal aborts. Returns the number of
 * removed rows.
 */
export async function purgeOldTills(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
	const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
	let total = 0;
	for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
		const removed = await purgeTills(db, {
			expiredBefore: before(skewSeconds),
			countedBefore: before(countLifeSeconds),
			limit: rowsAtOnce,
		});
		total += removed;
		if (removed === 0) break;
	}
	return total;
}
