import type { Database } from "@lango/postgres";

/** The tenant that pays. Nothing is sent to one that is suspended or deleted. */
export type Payer = { timeZone: string; isServed: boolean };

/**
 * Returns the tenant of the transaction. One of which only the id is known yet is served, and its time zone
 * is UTC.
 */
export async function findPayer(tx: Database): Promise<Payer> {
	const [row] = await tx.query<{ time_zone: string | null; status: string }>(
		"select time_zone, status from tenants where id = nullif(current_setting('app.tenant_id', true), '')::uuid",
	);
	return {
		timeZone: row?.time_zone ?? "UTC",
		isServed: row === undefined || row.status === "active" || row.status === "unknown",
	};
}
