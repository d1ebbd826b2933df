import { recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { lockAvailable } from "../ledger/available.store.ts";
import { retryConflicts } from "../ledger/retry-conflicts.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import { payoutFailures } from "../payouts/failures.ts";
import { listBatch } from "../payouts/payout.store.ts";
import type { Payout } from "../payouts/payout.ts";
import { recordApprovals } from "../payouts/payout-approval.store.ts";
import { findBatchMaker } from "../payouts/payout-batch.store.ts";
import type { Treasury } from "../treasury.ts";
import { type Decider, requireChecker } from "./decide-payout.ts";
import { findMakers } from "./maker.store.ts";

type Approving = { tenantId: string; batchId: string; by: Decider };

/**
 * Approves all payouts of a bulk request that wait for it, as another person than its maker; those that are
 * rejected or cancelled stay so. Returns all of its payouts. Throws `payout_batch_not_found`,
 * `payout_not_waiting` if none waits, `approver_not_a_person`, `approver_is_creator` and `creator_unknown`.
 */
export async function approveBulk(domain: Treasury, approving: Approving): Promise<readonly Payout[]> {
	const { db, now } = domain;
	const { tenantId, batchId, by } = approving;
	const maker = await inTenant(db, tenantId, (tx) => findBatchMaker(tx, batchId));
	if (maker === undefined) throw payoutFailures.payout_batch_not_found();
	requireChecker(await findMakers(db, maker), by);
	return retryConflicts(() =>
		inTenant(db, tenantId, async (tx) => {
			await lockAvailable(tx, tenantId);
			await approve(tx, approving, now());
			return listBatch(tx, batchId);
		}),
	);
}

async function approve(tx: Database, { tenantId, batchId, by }: Approving, at: Date): Promise<void> {
	const waiting = (await listBatch(tx, batchId)).filter(({ status }) => status === "awaiting_approval");
	if (waiting.length === 0) throw payoutFailures.payout_not_waiting();
	const payoutIds = waiting.map(({ id }) => id);
	await recordApprovals(tx, {
		...{ tenantId, payoutIds, by: by.actor, decision: "approved", because: null, at },
	});
	const about = { tenantId, source: "request", sourceId: by.actor.id, at } as const;
	await applyOutcome(tx, { ...about, payoutIds, decided: "approved" });
	const detail = { count: payoutIds.length };
	await recordAudit(tx, { tenantId, at, ...by, action: "payouts.approved", subject: batchId, detail });
}
