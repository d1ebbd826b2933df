import type { Database } from "@lango/postgres";
import { skewSeconds } from "@lango/tokens";
import { forgottenSeconds } from "../pins/pin-lock.ts";
import { purgeTills } from "./terminal-session.store.ts";

const rowsAtOnce = 500;
const batchesMax = 100;

/** Removes sessions whose tokens have run out and counts that are forgotten, some at a time until told to stop. Returns how many rows went. */
export async function purgeOldTills(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
	const before = (seconds: number) => new Date(now.getTime() - seconds * 1_000);
	let gone = 0;
	for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
		const removed = await purgeTills(db, {
			expiredBefore: before(skewSeconds),
			countedBefore: before(forgottenSeconds),
			limit: rowsAtOnce,
		});
		gone += removed;
		if (removed === 0) break;
	}
	return gone;
}
