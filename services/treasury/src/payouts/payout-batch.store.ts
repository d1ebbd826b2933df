import { currentTenant, type Database } from "@lango/postgres";
import { lockPayout } from "./payout.store.ts";
import type { Payout } from "./payout.ts";

const atOnceMax = 100;
const apartSeconds = 5;

/** Whether transfers of a bulk request were sent a moment ago. Call it inside the tenant. */
export async function isBatchJustSent(tx: Database, id: string, at: Date): Promise<boolean> {
	const rows = await tx.query(
		"select from payout_batches where tenant_id = $4 and id = $1 and sent_at > $2::timestamptz - make_interval(secs => $3)",
		[id, at, apartSeconds, currentTenant(tx)],
	);
	return rows.length > 0;
}

/**
 * Locks the payouts of a bulk request that are sent at once: the given one, and others of its currency
 * that are approved. The payouts of the tenant are locked. Call it inside the tenant.
 */
export async function lockBatch(
	tx: Database,
	{ payout, batchId }: { payout: Payout; batchId: string },
): Promise<readonly Payout[]> {
	const rows = await tx.query<{ id: string }>(
		`select id from payouts
		  where tenant_id = $6 and batch_id = $1 and status = 'approved' and rail = $2 and currency = $3
		  order by id = $4 desc, id limit $5`,
		[batchId, payout.rail, payout.currency, payout.id, atOnceMax, currentTenant(tx)],
	);
	const locked = [];
	for (const { id } of rows) locked.push(await lockPayout(tx, id));
	return locked.filter((one) => one !== undefined);
}

/** Records when transfers of a bulk request were sent last. Call it inside the tenant. */
export async function recordBatchSent(tx: Database, id: string, at: Date): Promise<void> {
	await tx.query("update payout_batches set sent_at = $2 where tenant_id = $3 and id = $1", [
		id,
		at,
		currentTenant(tx),
	]);
}

/** A bulk request. */
export type PayoutBatch = {
	tenantId: string;
	id: string;
	createdBy: Payout["createdBy"];
	idempotencyKey: string;
	fingerprint: Buffer;
	createdAt: Date;
};

/** Records a bulk request. Call it inside the tenant. */
export async function recordBatch(tx: Database, batch: PayoutBatch): Promise<void> {
	const { tenantId, id, createdBy, idempotencyKey, fingerprint, createdAt } = batch;
	await tx.query(
		`insert into payout_batches (tenant_id, id, created_by_kind, created_by, idempotency_key, fingerprint, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7)`,
		[tenantId, id, createdBy.kind, createdBy.id, idempotencyKey, fingerprint, createdAt],
	);
}

/** Returns who made a bulk request. Call it inside the tenant. */
export async function findBatchMaker(tx: Database, id: string): Promise<Payout["createdBy"] | undefined> {
	const [row] = await tx.query<Payout["createdBy"]>(
		"select created_by_kind as kind, created_by as id from payout_batches where tenant_id = $2 and id = $1",
		[id, currentTenant(tx)],
	);
	return row;
}

/** Finds the bulk request of an Idempotency-Key of a caller. Call it inside the tenant. */
export async function findBatchByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: Payout["createdBy"]; key: string },
): Promise<Pick<PayoutBatch, "id" | "fingerprint"> | undefined> {
	const [row] = await tx.query<{ id: string; fingerprint: Buffer }>(
		`select id, fingerprint from payout_batches
		  where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row;
}
