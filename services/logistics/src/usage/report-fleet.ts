import type { Domain } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { listUnreported, removeReported } from "./report.store.ts";

/** The usage metric of riders: the number that currently exist, without a time window (spec §2.5). */
const riderCount = "rider_count";
const batchMax = 100;

/**
 * Sends the unreported changes of a fleet's rider count to the subscription service, each under its own id,
 * so a report sent twice after a crash is counted once. `at` is the time of sending: the metric has no
 * window, and the subscription service rejects reports older than a week. Throws EntitlementsUnavailable if
 * the service does not respond; the job retries.
 */
export async function reportFleetOf(
	{ db, usage, now }: Pick<Domain, "db" | "usage" | "now">,
	{ tenantId, signal }: { tenantId: string; signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		const changes = await inTenant(db, tenantId, (tx) => listUnreported(tx, { tenantId, limit: batchMax }));
		if (changes.length === 0) return;
		const at = now().toISOString();
		await usage.reportUsage(
			tenantId,
			changes.map(({ id, change }) => ({ id: `rider:${id}`, metric: riderCount, value: change, at })),
		);
		const ids = changes.map(({ id }) => id);
		await inTenant(db, tenantId, (tx) => removeReported(tx, { tenantId, ids }));
		if (changes.length < batchMax) return;
	}
	throw new Error("the job was aborted before all changes were reported");
}
