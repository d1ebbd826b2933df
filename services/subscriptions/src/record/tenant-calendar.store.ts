import { type Database, inTenant } from "@lango/postgres";
import { defaultTimeZone } from "../rules/lifecycle/anchored-month.ts";

/** A tenant's time zone, and whether the tenant is known; the default time zone if it is not. */
export async function findTimeZone(
	db: Database,
	tenantId: string,
): Promise<{ timeZone: string; isKnown: boolean }> {
	const [row] = await inTenant(db, tenantId, (tx) =>
		tx.query<{ time_zone: string }>("select time_zone from tenant_calendars where tenant_id = $1", [
			tenantId,
		]),
	);
	return { timeZone: row?.time_zone ?? defaultTimeZone, isKnown: row !== undefined };
}

export type TenantDetails = {
	tenantId: string;
	slug: string;
	/** Undefined keeps the stored time zone, or sets the default one. */
	timeZone: string | undefined;
	/** The version of the tenant at the sign-on service. */
	version: number;
};

/** Stores the slug and the time zone of a tenant, unless a later version of the tenant is stored. */
export async function recordTenant(
	db: Database,
	{ tenantId, slug, timeZone, version }: TenantDetails,
): Promise<void> {
	await inTenant(db, tenantId, (tx) =>
		tx.query(
			`insert into tenant_calendars (tenant_id, slug, time_zone, version) values ($1, $2, coalesce($3, $5), $4)
			 on conflict (tenant_id) do update
			    set slug = excluded.slug, time_zone = coalesce($3, tenant_calendars.time_zone), version = excluded.version
			  where tenant_calendars.version < excluded.version`,
			[tenantId, slug, timeZone ?? null, version, defaultTimeZone],
		),
	);
}

/**
 * Stores the slug of a member's token if no slug is known: a member may select a plan before the event about
 * the new tenant arrives. Version 0, so that every event replaces it.
 */
export async function recordSlugOfToken(
	tx: Database,
	{ tenantId, slug }: { tenantId: string; slug: string },
): Promise<void> {
	await tx.query(
		`insert into tenant_calendars (tenant_id, slug, time_zone, version) values ($1, $2, $3, 0)
		 on conflict (tenant_id) do update set slug = excluded.slug where tenant_calendars.slug is null`,
		[tenantId, slug, defaultTimeZone],
	);
}

/** The slug of a tenant; undefined if not known. Call it in the tenant's transaction. */
export async function findSlug(tx: Database, tenantId: string): Promise<string | undefined> {
	const [row] = await tx.query<{ slug: string | null }>(
		"select slug from tenant_calendars where tenant_id = $1",
		[tenantId],
	);
	return row?.slug ?? undefined;
}
