import { treasuryCardSubscriptionChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { SubscriptionSaid } from "../outcomes/evidence/card-evidence.ts";
import { type StoredSubscription, updateSubscription } from "./card-subscription.store.ts";
import { type CardSubscription, nextStatus } from "./card-subscription.ts";

/** What changes with the status. */
type Change = Partial<
	Pick<
		CardSubscription,
		"subscriptionCode" | "emailToken" | "nextPaymentAt" | "isStoppedHere" | "executions" | "lastExecutedAt"
	>
>;

/**
 * Applies what is said about a subscription that the transaction has locked, and publishes its new state.
 * What was said before changes nothing. Call it inside the tenant.
 */
export async function changeSubscription(
	tx: Database,
	one: StoredSubscription,
	{ said, change = {}, now }: { said?: SubscriptionSaid | undefined; change?: Change; now: Date },
): Promise<StoredSubscription> {
	const status = said && nextStatus(one.status, said);
	if (status === undefined && Object.keys(change).length === 0) return one;
	const failureCode = status === undefined ? one.failureCode : said?.kind === "refused" ? said.code : null;
	const changed = { ...one, ...change, status: status ?? one.status, failureCode };
	const stored = await updateSubscription(tx, changed, now);
	await recordEvent(tx, treasuryCardSubscriptionChanged, {
		...{ subject: stored.id, tenantId: stored.tenantId, now },
		data: {
			...{ card_subscription_id: stored.id, tenant_id: stored.tenantId, payee: stored.payee },
			...{ status: stored.status, version: stored.version },
		},
	});
	return stored;
}
