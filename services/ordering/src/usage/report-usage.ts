import type { Domain } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import {
	listUnreported,
	listUnreportedCancellations,
	markCancellationsReported,
	markReported,
} from "./report.store.ts";

/** The usage metric of orders (spec §2.5). */
const orderCount = "order_count";
const batchMax = 100;

/** A kind of report: how to find unreported orders, how to report them, and how to mark them as reported. */
type Kind = {
	list: typeof listUnreported;
	mark: typeof markReported;
	idOf: (orderId: string) => string;
	value: 1 | -1;
};

/** In this order: an order is reported before its cancellation. */
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
 * Reports the unreported orders and cancellations of a tenant to the subscription service, each under its own
 * id, so a report sent twice after a crash is counted once. A cancellation is reported for the time of its
 * order, so it counts in the same day. A report that is refused permanently is logged and not sent again.
 * Throws EntitlementsUnavailable if the subscription service does not respond; the job retries.
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
		await usage.reportUsage(
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
	throw new Error("the job was aborted before all orders were reported");
}
