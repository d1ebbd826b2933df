import type { Database } from "@lango/postgres";
import { unmarkPublished, waitForRelayLock } from "./outbox.store.ts";

const atOnce = 1_000;

/**
 * Marks events published since a time as unpublished, for a bus that lost them; consumers that have applied
 * them ignore them. It runs in batches in one transaction under the relay lock, so each entity's events are
 * published in order and before newer ones. Returns the number of events. Events that the outbox no longer
 * has are not included.
 */
export function republishEvents(db: Database, { since }: { since: Date }): Promise<number> {
	return db.transaction(async (tx) => {
		await waitForRelayLock(tx);
		let count = 0;
		let after = 0n;
		for (;;) {
			const positions = await unmarkPublished(tx, { since, after, limit: atOnce });
			count += positions.length;
			after = positions.at(-1) ?? after;
			if (positions.length < atOnce) return count;
		}
	});
}
