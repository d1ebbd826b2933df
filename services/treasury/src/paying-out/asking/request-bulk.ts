import { uuidV7 } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import { getCardProfile } from "../../gateways/profiles/profile.store.ts";
import { lockAvailable } from "../../ledger/available.store.ts";
import { retryConflicts } from "../../ledger/retry-conflicts.ts";
import { paymentFailures } from "../../payments/failures.ts";
import { fingerprintOf } from "../../payments/open-intent.ts";
import { payoutFailures } from "../../payouts/failures.ts";
import { listBatch } from "../../payouts/payout.store.ts";
import type { Payout } from "../../payouts/payout.ts";
import { findBatchByKey, recordBatch } from "../../payouts/payout-batch.store.ts";
import type { Treasury } from "../../treasury.ts";
import { type Asker, addPayouts } from "./add-payouts.ts";
import { ofItem } from "./of-item.ts";
import {
	type PayoutPlan,
	type PayoutRequest,
	type PlanSources,
	planPayout,
	planSources,
	rulesOf,
} from "./plan-payout.ts";

/** The most payouts of one bulk request. */
export const bulkMax = 500;

export type AskForBulk = {
	tenantId: string;
	items: readonly PayoutRequest[];
	by: Asker;
	idempotencyKey: string;
	/** Whether it is only checked: nothing is stored. */
	isDryRun: boolean;
};

/** `batchId` is undefined if nothing was stored. */
export type Bulk = { batchId: string | undefined; payouts: readonly Payout[]; isNew: boolean };

/**
 * Asks for up to 500 payouts: all are accepted, and wait for their approval, or none is. The same
 * Idempotency-Key of the same caller returns them as they are now. Throws `idempotency_key_reused`, and what
 * `planPayout` and `addPayouts` throw, with the number of the item from 0.
 */
export async function requestBulk(domain: Treasury, asking: AskForBulk): Promise<Bulk> {
	const { db } = domain;
	const { tenantId, items, isDryRun } = asking;
	const known = await inTenant(db, tenantId, (tx) => findKnown(tx, asking));
	if (known !== undefined) return known;
	const sources = planSources(domain, tenantId);
	const plans: PayoutPlan[] = [];
	for (const [item, request] of items.entries())
		plans.push(await ofItem(item, () => planItem(sources, request)));
	const { settings } = await getCardProfile(db);
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			// The same request may have been made at the same time.
			const made = await findKnown(tx, asking);
			if (made !== undefined) return made;
			const bulk = await add(tx, { ...asking, plans, rules: rulesOf(settings), at: domain.now() });
			if (isDryRun) throw new DryRun(bulk.payouts);
			return bulk;
		}),
	).catch((error) => {
		if (error instanceof DryRun) return { batchId: undefined, payouts: error.payouts, isNew: false };
		throw error;
	});
}

/** Takes back what a request would store. */
class DryRun extends Error {
	readonly payouts: readonly Payout[];

	constructor(payouts: readonly Payout[]) {
		super("the bulk request is only checked");
		this.payouts = payouts;
	}
}

async function findKnown(
	tx: Database,
	{ by, idempotencyKey: key, items }: AskForBulk,
): Promise<Bulk | undefined> {
	const found = await findBatchByKey(tx, { createdBy: by.actor, key });
	if (found === undefined) return undefined;
	if (!found.fingerprint.equals(fingerprintOf(items))) throw paymentFailures.idempotency_key_reused();
	return { batchId: found.id, payouts: await listBatch(tx, found.id), isNew: false };
}

/** All that is available cannot be asked for among others. */
async function planItem(sources: PlanSources, request: PayoutRequest): Promise<PayoutPlan> {
	if (request.amount_minor === undefined)
		throw payoutFailures.amount_missing({ fields: { field: "amount_minor", in: "body" } });
	return planPayout(sources, request);
}

type Adding = AskForBulk & {
	plans: readonly PayoutPlan[];
	rules: ReturnType<typeof rulesOf>;
	at: Date;
};

async function add(tx: Database, { tenantId, items, by, plans, ...adding }: Adding): Promise<Bulk> {
	const { idempotencyKey, rules, at } = adding;
	const [batchId, fingerprint] = [uuidV7(at), fingerprintOf(items)];
	await recordBatch(tx, {
		...{ tenantId, id: batchId, createdBy: by.actor, idempotencyKey, fingerprint, createdAt: at },
	});
	await addPayouts(tx, { tenantId, plans, rules, by, batchId, fingerprint, at, idempotencyKey: null });
	return { batchId, payouts: await listBatch(tx, batchId), isNew: true };
}
