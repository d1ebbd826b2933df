import { type Database, inTenant } from "@lango/postgres";

/** What the sign-on service gives a tenant that says nothing of its time zone. */
const usualTimeZone = "Africa/Nairobi";

/** The time zone of a tenant, as it was last told; the usual one of a tenant nobody has told of. */
export async function findTimeZone(
	db: Database,
	tenantId: string,
): Promise<{ timeZone: string; isKnown: boolean }> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ time_zone: string }>("select time_zone from tenant_calendars where tenant_id = $1", [
			tenantId,
		]),
	);
	return { timeZone: row?.time_zone ?? usualTimeZone, isKnown: row !== undefined };
}

/** Notes a tenant's time zone, unless a later one is known. */
export async function recordTimeZone(
	db: Database,
	{ tenantId, timeZone, version }: { tenantId: string; timeZone: string; version: number },
): Promise<void> {
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into tenant_calendars (tenant_id, time_zone, version) values ($1, $2, $3)
			 on conflict (tenant_id) do update set time_zone = excluded.time_zone, version = excluded.version
			  where tenant_calendars.version < excluded.version`,
			[tenantId, timeZone, version],
		),
	);
}

/** Removes all that is kept of a tenant but the record of who changed what, which holds ids, and addresses until a person is erased. */
export async function eraseTenant(db: Database, tenantId: string): Promise<void> {
	await inTenant(db, tenantId, async (tx) => {
		await tx.query("delete from subscriptions where tenant_id = $1", [tenantId]);
		await tx.query("delete from tenant_calendars where tenant_id = $1", [tenantId]);
		await tx.query("delete from tenant_standings where tenant_id = $1", [tenantId]);
		await tx.query("delete from test_clocks where tenant_id = $1", [tenantId]);
		await tx.query("delete from sandbox_answers where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_counters where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_reports where tenant_id = $1", [tenantId]);
		await tx.query("delete from usage_consumptions where tenant_id = $1", [tenantId]);
		await tx.query("delete from overage_lines where tenant_id = $1", [tenantId]);
	});
}
