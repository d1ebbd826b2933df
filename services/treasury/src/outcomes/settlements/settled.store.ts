import { currentTenant, type Database } from "@lango/postgres";

/** What a settlement says about a receipt that is locked. */
type SettledReceipt = { id: string; settledAt: Date; feeMinor: bigint; isFeeEstimated: boolean };

/** Notes when a receipt was settled, and what the gateway kept of it. Call it inside the tenant. */
export async function markSettled(tx: Database, settled: SettledReceipt): Promise<void> {
	await tx.query(
		"update receipts set settled_at = $2, fee_minor = $3, is_fee_estimated = $4 where tenant_id = $5 and id = $1",
		[...[settled.id, settled.settledAt, settled.feeMinor, settled.isFeeEstimated], currentTenant(tx)],
	);
}

/** A payment whose receipt is settled, and what of it becomes available. */
export type Released = { id: string; pendingMinor: bigint };

/**
 * Marks the payments of a receipt as released, and returns those of which something was pending. Call it
 * inside the tenant, after the receipt is locked.
 */
export async function releasePayments(tx: Database, receiptId: string, now: Date): Promise<Released[]> {
	const rows = await tx.query<{ id: string; pending_minor: string }>(
		`with waiting as (
		   select id, pending_minor from payments
		    where tenant_id = $3 and receipt_id = $1 and released_at is null order by id for update
		 )
		 update payments p set pending_minor = 0, released_at = $2 from waiting w
		  where p.tenant_id = $3 and p.id = w.id
		 returning p.id, w.pending_minor`,
		[receiptId, now, currentTenant(tx)],
	);
	return rows
		.map((row) => ({ id: row.id, pendingMinor: BigInt(row.pending_minor) }))
		.filter(({ pendingMinor }) => pendingMinor > 0n);
}
