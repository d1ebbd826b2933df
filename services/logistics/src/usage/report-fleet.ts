import type { Domain } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { listUntold, removeTold } from "./report.store.ts";

/** The metric that riders are told under: what there is, until given back (spec §2.5). */
const riderCount = "rider_count";
const batchMax = 100;

/**
 * Tells the subscription service of every change of a fleet's number that it has not been told of, each under its own id: what
 * is sent again after a crash is counted once. The moment is that of sending: what stands has no window, and a report that had to
 * wait for more than a week would not be taken. Throws EntitlementsUnavailable when it does not answer; the job tries again.
 */
export async function reportFleetOf(
	{ db, usage, now }: Pick<Domain, "db" | "usage" | "now">,
	{ tenantId, signal }: { tenantId: string; signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		const changes = await inTenant(db, tenantId, (tx) => listUntold(tx, batchMax));
		if (changes.length === 0) return;
		const at = now().toISOString();
		await usage.sendUsage(
			tenantId,
			changes.map(({ id, change }) => ({ id: `rider:${id}`, metric: riderCount, value: change, at })),
		);
		const ids = changes.map(({ id }) => id);
		await inTenant(db, tenantId, (tx) => removeTold(tx, ids));
		if (changes.length < batchMax) return;
	}
	throw new Error("there was no time to report all of it");
}
