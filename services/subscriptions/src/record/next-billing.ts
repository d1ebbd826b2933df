import type { Database } from "@lango/postgres";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { listRequestedBills } from "./overage-bill.store.ts";

/** When something of the tenant's overage is to be done after `from` that no boundary of the subscription tells of; null: nothing. */
export async function nextBillingAt(
	tx: Database,
	{ tenantId, periodStartedAt, isSuspended }: FullSubscription,
	from: Date,
): Promise<Date | null> {
	if (isSuspended === true) return null;
	const [requested] = await listRequestedBills(tx, tenantId);
	// Paid for in the trial: the trial's overage is billed where the period begins.
	const begins = periodStartedAt !== null && periodStartedAt > from ? periodStartedAt : null;
	const step = requested?.nextStepAt ?? null;
	return step === null || (begins !== null && begins < step) ? begins : step < from ? from : step;
}
