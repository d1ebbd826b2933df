import type { Domain } from "@lango/chassis";
import { type Database, inTenant, type OutletFilter } from "@lango/postgres";
import { settleIn } from "../dispatch/settle.ts";
import { failures } from "../failures.ts";
import { findMessage, giveBackDay, lockQueued } from "./feed.store.ts";

type Cancelling = {
	tenantId: string;
	id: string;
	outlets: OutletFilter;
	by: string;
	/** Records in the same transaction who cancelled how many, if any. */
	record?: (tx: Database, detail: { cancelled: number }) => Promise<void>;
};

/**
 * Cancels the deliveries of a message that are queued, and gives e-mails back to the day's limit. What is
 * being sent is not cancelled. Returns how many were. Throws `message_not_found`.
 */
export async function cancelMessage(
	{ db, now }: Pick<Domain, "db" | "now">,
	{ tenantId, id, outlets, by, record }: Cancelling,
): Promise<number> {
	return inTenant(db, tenantId, async (tx) => {
		if ((await findMessage(tx, { id, outlets })) === undefined) throw failures.message_not_found();
		const queued = await lockQueued(tx, { tenantId, messageId: id });
		if (queued.length === 0) return 0;
		const results = queued.map((delivery) => ({
			...{ id: delivery, from: ["queued"] as const, status: "cancelled" as const },
			event: { kind: "decision" as const, detail: { decision: "cancelled", by } },
		}));
		const settled = await settleIn(tx, { tenantId, results, now: now() });
		await giveBackDay(tx, { tenantId, messageId: id, count: settled.length });
		if (settled.length > 0) await record?.(tx, { cancelled: settled.length });
		return settled.length;
	});
}
