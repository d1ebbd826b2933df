import { currentTenant, type Database } from "@lango/postgres";

/** Returns what a float account of the tenant holds by the ledger. Call it inside the tenant. */
export async function getMirror(
	tx: Database,
	{ code, currency }: { code: string; currency: string },
): Promise<bigint> {
	const [row] = await tx.query<{ balance_minor: bigint }>(
		"select balance_minor from tenant_balances() where code = $1 and currency = $2",
		[code, currency],
	);
	return row?.balance_minor ?? 0n;
}

/**
 * Whether an attempt, a payout or a reversal through a tenant's own shortcode is open, or a receipt of it was
 * counted, or such a payout or reversal ended, since a moment. Call it inside the tenant.
 */
export async function isMoneyMoving(
	tx: Database,
	{ shortcode, since }: { shortcode: string; since: Date },
): Promise<boolean> {
	const rows = await tx.query(
		`select 1 as found from attempts
		  where tenant_id = $3 and shortcode = $1 and custody = 'tenant' and status in ('new', 'submitting', 'awaiting', 'unknown')
		 union all
		 select 1 from receipts where tenant_id = $3 and shortcode = $1 and state = 'verified' and created_at >= $2
		 union all
		 select 1 from payouts
		  where tenant_id = $3 and shortcode = $1 and submitted_at is not null
		    and (ended_at is null or ended_at >= $2 or paid_at >= $2)
		 union all
		 select 1 from refunds f join receipts r on r.tenant_id = f.tenant_id and r.id = f.receipt_id
		  where f.tenant_id = $3 and r.shortcode = $1 and r.custody = 'tenant' and f.submitted_at is not null
		    and (f.ended_at is null or f.ended_at >= $2)
		 limit 1`,
		[shortcode, since, currentTenant(tx)],
	);
	return rows.length > 0;
}
