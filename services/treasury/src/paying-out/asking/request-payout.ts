import { type Database, inTenant } from "@lango/postgres";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { lockAvailable } from "../../ledger/available.store.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { paymentFailures } from "../../payments/failures.ts";
import { fingerprintOf } from "../../payments/open-intent.ts";
import { findPayoutByKey } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import type { Treasury } from "../../treasury.ts";
import { type Asker, addPayouts } from "./add-payouts.ts";
import { type PayoutRequest, planPayout, planSources, rulesOf } from "./plan-payout.ts";

export type AskForPayout = {
	tenantId: string;
	request: PayoutRequest;
	by: Asker;
	idempotencyKey: string;
};

/**
 * Asks for a payout: what it takes is held, and it waits for its approval, or is approved at once. The
 * same Idempotency-Key of the same caller returns the payout as it is now. Throws
 * `idempotency_key_reused`, `halted`, what `planPayout` throws, and what `addPayouts` throws.
 */
export async function requestPayout(
	domain: Treasury,
	asking: AskForPayout,
): Promise<{ payoutId: string; isNew: boolean }> {
	const { db, now } = domain;
	const { tenantId, request, by, idempotencyKey } = asking;
	const createdBy = by.actor;
	const fingerprint = fingerprintOf(request);
	const known = { createdBy, key: idempotencyKey, fingerprint };
	const found = await inTenant(db, tenantId, (tx) => findKnown(tx, known));
	if (found !== undefined) return { payoutId: found, isNew: false };
	const plan = await planPayout(planSources(domain, tenantId), request);
	const rules = rulesOf((await getCardProfile(db)).settings);
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			// The same request may have been made at the same time.
			const made = await findKnown(tx, known);
			if (made !== undefined) return { payoutId: made, isNew: false };
			const about = { tenantId, plans: [plan], rules, by, batchId: null, fingerprint, at: now() };
			const [payoutId] = await addPayouts(tx, { ...about, idempotencyKey });
			if (payoutId === undefined) throw new Error("the payout was not recorded");
			return { payoutId, isNew: true };
		}),
	);
}

async function findKnown(
	tx: Database,
	{ fingerprint, ...by }: { createdBy: Payout["createdBy"]; key: string; fingerprint: Buffer },
): Promise<string | undefined> {
	const found = await findPayoutByKey(tx, by);
	if (found !== undefined && !found.fingerprint.equals(fingerprint))
		throw paymentFailures.idempotency_key_reused();
	return found?.id;
}
