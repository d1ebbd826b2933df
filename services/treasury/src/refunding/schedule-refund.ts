import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { scheduleRefundCheck } from "../refunds/refund.store.ts";
import type { Refund } from "../refunds/refund.ts";
import type { Treasury } from "../treasury.ts";

type Next = {
	refund: Pick<Refund, "id" | "tenantId" | "checks">;
	job: "refunds.submit" | "refunds.query";
	afterSeconds: number;
};

/** Stores when a refund is sent, or asked about, next, and enqueues the job. Call it inside the tenant. */
export async function scheduleRefund(
	tx: Database,
	{ now }: Pick<Treasury, "now">,
	{ refund: { id, tenantId, checks }, job: name, afterSeconds }: Next,
): Promise<void> {
	const nextCheckAt = new Date(now().getTime() + afterSeconds * 1000);
	await scheduleRefundCheck(tx, { id, checks, nextCheckAt });
	await enqueueJob(tx, { name }, { id, tenantId, afterSeconds });
}
