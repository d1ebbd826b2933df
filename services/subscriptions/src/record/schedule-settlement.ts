import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { nextDueAt } from "../rules/lifecycle/due.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { nextBillingAt } from "./next-billing.ts";

/** The job that settles one tenant, declared in `due.jobs.ts`. */
export const settlementJob = { name: "subscriptions.settle" } as const;

/**
 * Schedules the settlement of a tenant for its next due step, in the transaction that writes the
 * subscription. Each tenant has one job, and every change moves it. The delay counts from `now` by the
 * tenant's clock and is rounded up to whole seconds, so that the job is never early.
 */
export async function scheduleSettlement(
	tx: Database,
	subscription: FullSubscription,
	now: Date,
): Promise<void> {
	const { tenantId } = subscription;
	const moments = [nextDueAt(subscription), await nextBillingAt(tx, subscription, now)].filter(
		(at) => at !== null,
	);
	if (moments.length === 0) return;
	const untilMs = Math.min(...moments.map((at) => at.getTime())) - now.getTime();
	const afterSeconds = Math.max(0, Math.ceil(untilMs / 1_000));
	await enqueueJob(tx, settlementJob, { id: tenantId, tenantId, afterSeconds });
}
