import type { Database } from "@lango/postgres";
import { awaitRelayTurn, unmarkPublished } from "./outbox.store.ts";

const atOnce = 1_000;

/**
 * Has what was published since a moment published again, for a bus that lost it; who applied it before applies it no second time.
 * Some at a time, in one transaction in which no relay publishes: so each entity's events go out in their order, those told again
 * before those that came meanwhile. Says how many there are; none that is older than the outbox keeps.
 */
export function republishEvents(db: Database, { since }: { since: Date }): Promise<number> {
	return db.transaction(async (tx) => {
		await awaitRelayTurn(tx);
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
