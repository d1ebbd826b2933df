import type { Database } from "@lango/postgres";
import { purgeIdleSessions } from "./idle-session.store.ts";

const batchRows = 2_000;
const batchesMax = 250;

/**
 * Removes sessions that nobody used until seven days ago. Each time it looks at half a million of them at most, in small batches,
 * and goes on the next time where it left off; at the end it begins anew. Returns how many went.
 */
export function createIdlePurge(db: Database): (now: Date, signal?: AbortSignal) => Promise<number> {
	let lookedTo: string | undefined;
	return async (now, signal) => {
		let gone = 0;
		for (let batch = 0; batch < batchesMax && !signal?.aborted; batch += 1) {
			const looked = await purgeIdleSessions(db, { now, after: lookedTo, limit: batchRows });
			gone += looked.gone;
			lookedTo = looked.lookedTo;
			if (lookedTo === undefined) break;
		}
		return gone;
	};
}
