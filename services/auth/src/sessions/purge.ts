import type { Database } from "@lango/postgres";
import { purgeExpired } from "./session.store.ts";

const batchRows = 500;
const batchesMax = 100;

/** Removes codes, tokens and sessions that have had their time, in small batches. Returns how many rows went. */
export async function purge(db: Database, now: Date): Promise<number> {
	let gone = 0;
	for (let batch = 0; batch < batchesMax; batch += 1) {
		const removed = await purgeExpired(db, { now, limit: batchRows });
		gone += removed;
		if (removed === 0) break;
	}
	return gone;
}
