import type { Database } from "@lango/postgres";
import { removeOldUserLinks } from "./link.store.ts";

const batch = 500;
const batchesMax = 200;

/** Removes links that ran out, in small batches, so that no lock is held long; the rest waits for the next time. */
export async function purgeLinks(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
	for (let done = 0; done < batchesMax && !signal?.aborted; done += 1)
		if ((await removeOldUserLinks(db, { now, limit: batch })) < batch) return;
}
