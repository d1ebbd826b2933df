import type { Database } from "@lango/postgres";

/** Returns the time zone of the tenant of the transaction; UTC while it is not known. */
export async function findTimeZone(tx: Database): Promise<string> {
	const [row] = await tx.query<{ time_zone: string | null }>(
		"select time_zone from tenants where id = nullif(current_setting('app.tenant_id', true), '')::uuid",
	);
	return row?.time_zone ?? "UTC";
}
