import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { listAttempts } from "../payments/attempt.store.ts";
import type { Attempt } from "../payments/attempt.ts";

/** Seconds before each further try of a prompt that the gateway did not take (design section 6). */
const backoffSeconds = [10, 60, 300];

/**
 * Plans a further try of a prompt that the gateway did not take now, unless three have been made in a row.
 * Call it inside the tenant.
 */
export async function planRetry(tx: Database, { id, tenantId, intentId, phone }: Attempt): Promise<void> {
	const prompts = (await listAttempts(tx, [intentId])).filter(({ channel }) => channel === "push");
	const isOther = (one: Attempt) => one.status !== "rejected" || one.phone !== phone;
	const rejected = prompts.length - 1 - prompts.findLastIndex(isOther);
	const afterSeconds = backoffSeconds[rejected - 1];
	if (afterSeconds !== undefined)
		await enqueueJob(tx, { name: "prompts.retry" }, { id, tenantId, afterSeconds });
}
