import type { Database } from "@lango/postgres";

/**
 * Makes the bills of a tenant wait for each other: what the tenant paid to the platform is used by one
 * transaction at a time. Take it before any row of money. Call it inside the tenant.
 */
export async function lockBillsOf(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`bills ${tenantId}`]);
}

/**
 * Returns what the tenant has paid to the platform and no operation has used, in lowest units. Call it
 * inside the tenant.
 */
export async function unappliedOf(tx: Database, currency: string): Promise<bigint> {
	const [row] = await tx.query<{ balance_minor: string }>(
		"select balance_minor from tenant_balances() where code = 'unapplied' and currency = $1",
		[currency],
	);
	return BigInt(row?.balance_minor ?? 0);
}

/**
 * Lists by currency what the tenant has paid to the platform and no operation has used. Call it inside the
 * tenant.
 */
export async function listUnapplied(
	tx: Database,
): Promise<ReadonlyArray<{ currency: string; amountMinor: bigint }>> {
	const rows = await tx.query<{ currency: string; balance_minor: string }>(
		`select currency, balance_minor from tenant_balances()
		 where code = 'unapplied' and balance_minor > 0 order by currency`,
	);
	return rows.map(({ currency, balance_minor }) => ({ currency, amountMinor: BigInt(balance_minor) }));
}
