import type { OutletIsolation, PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { deletedStatus, type SyncedTenant, unknownStatus } from "./tenant.ts";

type TenantRow = {
	id: string;
	slug: string;
	name: string;
	status: string;
	time_zone: string;
	currency: string;
	locale: string;
	outlet_isolation: OutletIsolation;
	synced_at: Date;
};

/** Returns the tenant with this slug, or undefined. */
export async function findTenantBySlug(db: Database, slug: string): Promise<SyncedTenant | undefined> {
	const [row] = await db.query<TenantRow>(
		"select id, slug, name, status, time_zone, currency, locale, outlet_isolation, synced_at from tenants where slug = $1",
		[slug],
	);
	return row && fromRow(row);
}

/** Returns the tenant with this id, or undefined. */
export async function findTenantById(db: Database, id: string): Promise<SyncedTenant | undefined> {
	const [row] = await db.query<TenantRow>(
		"select id, slug, name, status, time_zone, currency, locale, outlet_isolation, synced_at from tenants where id = $1",
		[id],
	);
	return row && fromRow(row);
}

/**
 * Returns the slug of a tenant; undefined if the tenant or its slug is not known (the row then has the id in
 * the place of the slug).
 */
export async function findSlug(db: Database, id: string): Promise<string | undefined> {
	const [row] = await db.query<{ slug: string }>(
		"select slug from tenants where id = $1 and slug <> id::text",
		[id],
	);
	return row?.slug;
}

/**
 * Returns the number of applied tenant and outlet events. A response that is requested afterwards includes
 * their changes.
 */
export async function countAppliedEvents(db: Database): Promise<bigint> {
	const [row] = await db.query<{ event_number: bigint }>(
		"select case when is_called then last_value else 0 end as event_number from tenancy_event_numbers",
	);
	if (row === undefined) throw new Error("the sequence tenancy_event_numbers returned no row");
	return row.event_number;
}

/**
 * A response of the sign-on service, with the time of the request and the number of events applied before it.
 */
export type Answer<T> = { received: T; syncedAt: Date; askedAfter: bigint };

/**
 * Inserts or updates a tenant from a response of the sign-on service, and returns the stored row. A tenant
 * with an old slug gets its new one. Changes by newer events are kept, and a deleted tenant stays deleted.
 * Throws the driver's error on `tenants__slug_unique` if another tenant has this slug.
 */
export async function recordTenant(
	db: Database,
	{ received, syncedAt, askedAfter }: Answer<PublicTenant>,
): Promise<SyncedTenant> {
	const [row] = await db.query<TenantRow>(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at, outlet_isolation)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $10)
		 on conflict (id) do update
		    set slug = excluded.slug, name = excluded.name, status = excluded.status, time_zone = excluded.time_zone,
		        currency = excluded.currency, locale = excluded.locale, synced_at = greatest(tenants.synced_at, excluded.synced_at),
		        wanted_slug = null, outlet_isolation = excluded.outlet_isolation
		  where tenants.event_number <= $9 and tenants.deleted_at is null
		 returning id, slug, name, status, time_zone, currency, locale, outlet_isolation, synced_at`,
		[
			received.id,
			received.slug,
			received.name,
			received.status,
			received.time_zone,
			received.currency,
			received.locale,
			syncedAt,
			askedAfter,
			received.outlet_isolation ?? "strict",
		],
	);
	const kept = row === undefined ? await findTenantById(db, received.id) : fromRow(row);
	if (kept === undefined) throw new Error("recording a tenant returned nothing");
	return kept;
}

/** A tenant as received in an event. */
export type TenantFromEvent = Omit<SyncedTenant, "syncedAt"> & { version: number };

/**
 * Inserts or updates a tenant from an event, unless a higher version was received. If another tenant has the
 * slug, that tenant keeps it: the new one gets its id as slug, and the slug is recorded as wanted.
 */
export async function recordTenantFromEvent(db: Database, tenant: TenantFromEvent, now: Date): Promise<void> {
	const { id, slug, name, status, timeZone, currency, locale, version, outletIsolation } = tenant;
	await db.query(
		`insert into tenants (id, slug, wanted_slug, name, status, time_zone, currency, locale, synced_at, version, event_number,
		                      outlet_isolation)
		 select $1, case when is_taken then $1::text else $2 end, case when is_taken then $2 end,
		        $3, $4, $5, $6, $7, $8, $9, nextval('tenancy_event_numbers'), $10
		   from (select exists (select from tenants where slug = $2 and id <> $1) as is_taken) as known
		 on conflict (id) do update
		    set slug = excluded.slug, name = excluded.name, status = excluded.status, time_zone = excluded.time_zone,
		        currency = excluded.currency, locale = excluded.locale, version = excluded.version, event_number = excluded.event_number,
		        wanted_slug = excluded.wanted_slug, outlet_isolation = excluded.outlet_isolation, synced_at = greatest(tenants.synced_at, excluded.synced_at)
		  where tenants.version <= excluded.version and tenants.deleted_at is null`,
		[id, slug, name, status, timeZone, currency, locale, now, version, outletIsolation],
	);
}

/**
 * Inserts a tenant of which only the id is known, so that rows can refer to it. `findById` fetches the rest
 * from the sign-on service.
 */
export async function ensureTenant(db: Database, id: string): Promise<void> {
	await db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 values ($1, $1::uuid::text, '', $2, 'UTC', '', 'und', 'epoch')
		 on conflict (id) do nothing`,
		[id, unknownStatus],
	);
}

/** Changes the status of a tenant from an event, unless a higher version was received. */
export async function changeStatusFromEvent(
	db: Database,
	{ id, status, version }: { id: string; status: string; version: number },
): Promise<void> {
	await db.query(
		`update tenants set status = $2, version = $3, event_number = $4
		  where id = $1 and version <= $3 and deleted_at is null`,
		[id, status, version, await nextEventNumber(db)],
	);
}

/** Numbers an event. A statement of its own: a cluster refuses `nextval` in an update. */
async function nextEventNumber(db: Database): Promise<string> {
	const [row] = await db.query<{ number: string }>("select nextval('tenancy_event_numbers')::text as number");
	if (row === undefined) throw new Error("numbering an event returned nothing");
	return row.number;
}

/** Marks a tenant as deleted and removes everything but its id. */
export async function markTenantDeleted(
	db: Database,
	{ id, version, now }: { id: string; version: number; now: Date },
): Promise<void> {
	await db.query(
		`update tenants
		    set slug = id::text, wanted_slug = null, name = '', status = $2, version = greatest(version, $3),
		        event_number = $5, deleted_at = $4
		  where id = $1 and deleted_at is null`,
		[id, deletedStatus, version, now, await nextEventNumber(db)],
	);
}

/**
 * Lists deleted tenants whose rows are not completely erased, oldest first, with the time of their deletion.
 */
export async function listHalfErased(db: Database, limit: number): Promise<Array<{ id: string; at: Date }>> {
	const rows = await db.query<{ id: string; deleted_at: Date }>(
		"select id, deleted_at from tenants where deleted_at is not null and erased_at is null order by deleted_at limit $1",
		[limit],
	);
	return rows.map(({ id, deleted_at }) => ({ id, at: deleted_at }));
}

/**
 * Removes at most `limit` rows of a deleted tenant from every table except the kept ones. Returns the number
 * of removed rows.
 */
export async function eraseTenantRows(
	db: Database,
	{ id, kept, limit }: { id: string; kept: readonly string[]; limit: number },
): Promise<number> {
	// Inside the tenant: the nodes of a cluster do not see the tenant that the function sets.
	const [row] = await inTenant(db, id, (tx) =>
		tx.query<{ removed: number }>("select erase_tenant_rows($1, $2, $3) as removed", [id, [...kept], limit]),
	);
	if (row === undefined) throw new Error("erasing a tenant returned nothing");
	return row.removed;
}

/** Records that the erasure of a deleted tenant is complete. */
export async function recordErased(db: Database, { id, now }: { id: string; now: Date }): Promise<void> {
	await db.query("update tenants set erased_at = $2 where id = $1 and deleted_at is not null", [id, now]);
}

function fromRow({ time_zone, outlet_isolation, synced_at, ...row }: TenantRow): SyncedTenant {
	return { ...row, timeZone: time_zone, outletIsolation: outlet_isolation, syncedAt: synced_at };
}
