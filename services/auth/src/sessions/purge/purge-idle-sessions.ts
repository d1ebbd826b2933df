import type { Database } from "@lango/postgres";
import { purgeIdleSessions } from "./idle-session.store.ts";

const batchRows = 2_000;
const batchesMax = 250;

/**
 * Removes sessions that have been idle for seven days beyond their limit. A run checks at most half a
 * million sessions in small batches; the next run continues there, and starts again at the end. Returns the
 * number of removed sessions.
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
