import type { Outlet } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import type { FetchedOutlet } from "./sign-on.ts";
import type { Answer } from "./tenant.store.ts";

/**
 * Inserts or updates a tenant's outlets as fetched from the sign-on service, except outlets that an event
 * changed meanwhile. Row-level security refuses an outlet of another tenant. Settings that were fetched
 * without a key do not replace known ones.
 */
export async function recordOutlets(
	db: Database,
	tenantId: string,
	{ received, syncedAt, askedAfter }: Answer<readonly FetchedOutlet[]>,
): Promise<void> {
	const fetched = JSON.stringify(received);
	await inTenant(db, tenantId, async (tx) => {
		await tx.query(
			`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
			 select id, $1, code, name, use_case, is_hq, status, coalesce(settings, '{}'), $3
			   from jsonb_to_recordset($2::jsonb) as r ${columns}
			  where exists (select from tenants where id = $1 and deleted_at is null)
			 on conflict (tenant_id, id) do nothing`,
			[tenantId, fetched, syncedAt],
		);
		await tx.query(
			`update outlets o
			    set code = r.code, name = r.name, use_case = r.use_case, is_hq = r.is_hq, status = r.status, synced_at = $3,
			        settings = coalesce(r.settings, o.settings)
			   from jsonb_to_recordset($2::jsonb) as r ${columns}
			  where o.tenant_id = $1 and o.id = r.id and o.event_number <= $4`,
			[tenantId, fetched, syncedAt, askedAfter],
		);
	});
}

const columns = "(id uuid, code text, name text, use_case text, is_hq boolean, status text, settings jsonb)";

export type OutletFromEvent = Outlet & { tenantId: string; version: number };

/**
 * Inserts or updates an outlet from an event, unless a higher version was received or its tenant was deleted.
 * Call it inside the tenant.
 */
export async function recordOutletFromEvent(tx: Database, outlet: OutletFromEvent, now: Date): Promise<void> {
	const { id, tenantId, code, name, use_case, is_hq, status, settings, version } = outlet;
	await tx.query(
		`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at, version, event_number)
		 select $1, id, $3, $4, $5, $6, $7, $8::jsonb, $9, $10, nextval('tenancy_event_numbers')
		   from tenants where id = $2 and deleted_at is null
		 on conflict (tenant_id, id) do update
		    set code = excluded.code, name = excluded.name, use_case = excluded.use_case, is_hq = excluded.is_hq,
		        status = excluded.status, settings = excluded.settings, synced_at = excluded.synced_at,
		        version = excluded.version, event_number = excluded.event_number
		  where outlets.version <= excluded.version`,
		[id, tenantId, code, name, use_case, is_hq, status, JSON.stringify(settings), now, version],
	);
}

/** Whether a tenant has this outlet, not archived. Call it inside the tenant. */
export async function hasOutlet(tx: Database, tenantId: string, id: string): Promise<boolean> {
	const rows = await tx.query(
		"select from outlets where tenant_id = $1 and id = $2 and status <> 'archived'",
		[tenantId, id],
	);
	return rows.length > 0;
}

/**
 * Returns the first id that is not an unarchived outlet of a tenant, or undefined. Call it inside the tenant.
 */
export async function findUnknownOutlet(
	tx: Database,
	tenantId: string,
	ids: readonly string[],
): Promise<string | undefined> {
	if (ids.length === 0) return undefined;
	const rows = await tx.query<{ id: string }>(
		"select id from outlets where tenant_id = $1 and id = any ($2::uuid[]) and status <> 'archived'",
		[tenantId, [...ids]],
	);
	const known = new Set(rows.map(({ id }) => id));
	return ids.find((id) => !known.has(id.toLowerCase()));
}
