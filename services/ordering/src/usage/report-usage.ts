import type { Domain } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import {
	listUnreported,
	listUnreportedCancellations,
	markCancellationsReported,
	markReported,
} from "./report.store.ts";

/** The metric that orders are told under (spec §2.5). */
const orderCount = "order_count";
const batchMax = 100;

/** One kind of report: which orders lack it, and how it is sent and noted. */
type Kind = {
	list: typeof listUnreported;
	mark: typeof markReported;
	idOf: (orderId: string) => string;
	value: 1 | -1;
};

/** In this order: an order is reported before its cancellation takes the report back. */
const kinds: readonly Kind[] = [
	{ list: listUnreported, mark: markReported, idOf: (id) => `order:${id}`, value: 1 },
	{
		list: listUnreportedCancellations,
		mark: markCancellationsReported,
		idOf: (id) => `order:${id}:cancelled`,
		value: -1,
	},
];

type Parts = Pick<Domain, "db" | "usage" | "now">;
type Reporting = { tenantId: string; signal: AbortSignal };

/**
 * Reports every order and every cancellation of the tenant that was not reported yet to the subscription service, each under its
 * own id: what is sent again after a crash is counted once. A cancellation is reported for the time of its order, so it counts
 * in the same day. What is refused permanently is logged, and not sent again. Throws EntitlementsUnavailable when the
 * subscription service does not answer; the job tries again.
 */
export async function reportUsageOf(parts: Parts, reporting: Reporting): Promise<void> {
	for (const kind of kinds) await reportKind(parts, reporting, kind);
}

async function reportKind(
	{ db, usage, now }: Parts,
	{ tenantId, signal }: Reporting,
	{ list, mark, idOf, value }: Kind,
): Promise<void> {
	while (!signal.aborted) {
		const orders = await inTenant(db, tenantId, (tx) => list(tx, batchMax));
		if (orders.length === 0) return;
		await usage.sendUsage(
			tenantId,
			orders.map(({ id, placedAt }) => ({
				id: idOf(id),
				metric: orderCount,
				value,
				at: placedAt.toISOString(),
			})),
		);
		const ids = orders.map(({ id }) => id);
		await inTenant(db, tenantId, (tx) => mark(tx, { ids, now: now() }));
		if (orders.length < batchMax) return;
	}
	throw new Error("there was no time to report all of it");
}
