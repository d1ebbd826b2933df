import type { Database } from "@lango/postgres";

/** What a tenant has and owes in a currency, as far as payouts need it. */
export type TenantFunds = { availableMinor: bigint; feesDueMinor: bigint };

/** Returns what the tenant has and owes in a currency. Call it inside the tenant. */
export async function fundsOf(tx: Database, currency: string): Promise<TenantFunds> {
	const rows = await tx.query<{ code: string; balance_minor: string }>(
		`select code, balance_minor from tenant_balances()
		  where currency = $1 and code in ('tenant.available', 'tenant.fees_due')`,
		[currency],
	);
	const balances = new Map(rows.map(({ code, balance_minor }) => [code, BigInt(balance_minor)]));
	return {
		availableMinor: balances.get("tenant.available") ?? 0n,
		feesDueMinor: balances.get("tenant.fees_due") ?? 0n,
	};
}
