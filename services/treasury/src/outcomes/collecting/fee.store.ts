import { currentTenant, type Database } from "@lango/postgres";

/** Notes the fee that the gateway states, in place of its estimate. Call it inside the tenant. */
export async function recordFee(tx: Database, receiptId: string, feeMinor: bigint): Promise<void> {
	await tx.query(
		"update receipts set fee_minor = $2, is_fee_estimated = false where tenant_id = $3 and id = $1",
		[receiptId, feeMinor, currentTenant(tx)],
	);
}

/**
 * Corrects the fee that the first payment of a receipt to the tenant's own trade bears. Call it inside the
 * tenant.
 */
export async function correctFee(tx: Database, receiptId: string, feeMinor: bigint): Promise<void> {
	await tx.query(
		`update payments set fee_minor = $2
		  where tenant_id = $3 and id = (
		    select p.id from payments p join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
		     where p.tenant_id = $3 and p.receipt_id = $1 and i.payee = 'tenant' order by p.id limit 1)`,
		[receiptId, feeMinor, currentTenant(tx)],
	);
}

/** Returns the fees that a tenant owes to the platform. Call it inside the tenant. */
export async function feesDueOf(tx: Database, currency: string): Promise<bigint> {
	const [row] = await tx.query<{ balance_minor: bigint }>(
		"select balance_minor from tenant_balances() where code = 'tenant.fees_due' and currency = $1",
		[currency],
	);
	return BigInt(row?.balance_minor ?? 0n);
}
