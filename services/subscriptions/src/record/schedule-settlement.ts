import { enqueueJob } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { nextDueAt } from "../rules/lifecycle/due.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { nextBillingAt } from "./next-billing.ts";

/** The job that settles one tenant; `due.jobs.ts` declares what it does. */
export const settlementJob = { name: "subscriptions.settle" } as const;

/**
 * Asks, in the transaction in which a subscription is written, to settle its tenant when the next thing falls due. One
 * job waits for each tenant, and each change moves it. It counts from `now`, whichever clock that is of; a part of a
 * second is a whole one, so that it never comes early by that clock.
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
