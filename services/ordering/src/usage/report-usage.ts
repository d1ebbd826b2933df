import type { Domain } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { listUnreported, markReported } from "./report.store.ts";

/** The metric that orders are told under (spec §2.5). */
const orderCount = "order_count";
const batchMax = 100;

/**
 * Tells the subscription service of every order of the tenant that it has not been told of, each under its own id: what is sent
 * again after a crash is counted once. What it refuses for good is logged, and not told again. Throws
 * EntitlementsUnavailable when it does not answer; the job tries again.
 */
export async function reportUsageOf(
	{ db, usage, now }: Pick<Domain, "db" | "usage" | "now">,
	{ tenantId, signal }: { tenantId: string; signal: AbortSignal },
): Promise<void> {
	while (!signal.aborted) {
		const orders = await inTenant(db, tenantId, (tx) => listUnreported(tx, batchMax));
		if (orders.length === 0) return;
		await usage.sendUsage(
			tenantId,
			orders.map(({ id, placedAt }) => ({
				id: `order:${id}`,
				metric: orderCount,
				value: 1,
				at: placedAt.toISOString(),
			})),
		);
		const ids = orders.map(({ id }) => id);
		await inTenant(db, tenantId, (tx) => markReported(tx, { ids, now: now() }));
		if (orders.length < batchMax) return;
	}
	throw new Error("there was no time to report all of it");
}
