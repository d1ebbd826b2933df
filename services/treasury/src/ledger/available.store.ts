import type { Database } from "@lango/postgres";

/**
 * Makes what takes from or adds to `tenant.available` and `tenant.debt` of a tenant wait for each other.
 * Take it before their balances are read, after every other row of money. Call it inside the tenant.
 */
export async function lockAvailable(tx: Database, tenantId: string): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`available ${tenantId}`]);
}

/** Returns the balance of an account of the tenant. Call it inside the tenant. */
export async function balanceOf(tx: Database, code: string, currency: string): Promise<bigint> {
	const [row] = await tx.query<{ balance_minor: string | null }>(
		"select sum(balance_minor)::bigint as balance_minor from tenant_balances() where code = $1 and currency = $2",
		[code, currency],
	);
	return BigInt(row?.balance_minor ?? 0);
}
