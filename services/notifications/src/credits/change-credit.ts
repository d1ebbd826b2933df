import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import {
	type Credit,
	type CreditChange,
	findRequested,
	lockCredit,
	recordCreditChange,
} from "./credit.store.ts";
import { publishCreditLow } from "./publish-credit-low.ts";

/**
 * Adds segments to a tenant's SMS credit, or takes them away, in the caller's transaction. Reserved segments
 * stay. Publishes `notifications.credit.low` once when the balance falls below the threshold. A repeated
 * `requestKey` of the same caller changes nothing. Call it inside the tenant. Throws `credit_too_low` or
 * `idempotency_key_reused`.
 */
export async function changeCredit(
	tx: Database,
	change: CreditChange,
): Promise<{ credit: Credit; isReplayed: boolean }> {
	const { tenantId, segments, now } = change;
	const before = await lockCredit(tx, { tenantId, now });
	if (await isRepeated(tx, change)) return { credit: before, isReplayed: true };
	if (before.balance + segments < before.reserved)
		throw failures.credit_too_low({ fields: { field: "segments", in: "body" } });
	const credit = await recordCreditChange(tx, change);
	const isCrossed = credit.isLow && before.balance >= before.threshold;
	if (isCrossed) await publishCreditLow(tx, { tenantId, ...credit, now });
	return { credit, isReplayed: false };
}

async function isRepeated(tx: Database, { madeBy, requestKey, segments, reason }: CreditChange) {
	if (madeBy === undefined || requestKey === undefined) return false;
	const earlier = await findRequested(tx, { madeBy, requestKey });
	if (earlier === undefined) return false;
	if (earlier.segments !== segments || earlier.reason !== reason)
		throw failures.idempotency_key_reused({ fields: { field: "idempotency-key", in: "headers" } });
	return true;
}
