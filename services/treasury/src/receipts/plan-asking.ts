import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { scheduleAsking } from "./receipt.store.ts";
import type { Receipt } from "./receipt.ts";

/** Plans that the gateway is asked about a receipt that is not verified. Call it inside the tenant. */
export async function planAsking(
	tx: Database,
	{ tenantId, id }: Pick<Receipt, "tenantId" | "id">,
	{ now, afterSeconds = 0 }: { now: Date; afterSeconds?: number },
): Promise<void> {
	await scheduleAsking(tx, id, new Date(now.getTime() + afterSeconds * 1000));
	await enqueueJob(tx, { name: "receipts.ask" }, { id, tenantId, afterSeconds });
}
