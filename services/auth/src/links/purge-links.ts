import type { Database } from "@lango/postgres";
import { removeOldUserLinks } from "./link.store.ts";

const batch = 500;
const batchesMax = 200;

/** Removes expired links in small batches with short locks; the rest follows in the next run. */
export async function purgeLinks(db: Database, now: Date, signal?: AbortSignal): Promise<void> {
	for (let done = 0; done < batchesMax && !signal?.aborted; done += 1)
		if ((await removeOldUserLinks(db, { now, limit: batch })) < batch) return;
}
