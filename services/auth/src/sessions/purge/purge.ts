import type { Database } from "@lango/postgres";
import { purgeExpired } from "../grant/session.store.ts";

const batchRows = 500;
const batchesMax = 100;

/**
 * Removes expired codes, tokens and sessions in small batches until `signal` is aborted. Returns the number
 * of removed rows.
 */
export async function purge(db: Database, now: Date, signal?: AbortSignal): Promise<number> {
	let gone = 0;
	for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
		const removed = await purgeExpired(db, { now, limit: batchRows });
		gone += removed;
		if (removed === 0) break;
	}
	return gone;
}
