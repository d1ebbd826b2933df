import type { Database } from "@lango/postgres";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { listRequestedBills } from "./overage-bill.store.ts";

/**
 * When the tenant's overage needs work after `from` that no boundary of the subscription covers; null: never.
 */
export async function nextBillingAt(
	tx: Database,
	{ tenantId, periodStartedAt, isSuspended }: FullSubscription,
	from: Date,
): Promise<Date | null> {
	if (isSuspended === true) return null;
	const [requested] = await listRequestedBills(tx, tenantId);
	// A trial that is already paid for: its overage is billed when the paid period begins.
	const begins = periodStartedAt !== null && periodStartedAt > from ? periodStartedAt : null;
	const step = requested?.nextStepAt ?? null;
	return step === null || (begins !== null && begins < step) ? begins : step < from ? from : step;
}
