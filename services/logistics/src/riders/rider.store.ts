import { type Database, ofTenant } from "@lango/postgres";
import type { Rider, RiderStatus } from "./rider.ts";

type RiderRow = {
	id: string;
	tenant_id: string;
	auth_service_user_id: string;
	name: string;
	email: string;
	status: RiderStatus;
	created_at: Date;
	changed_at: Date;
};

/** A person as in the events of the sign-on service. */
export type RiderPerson = { tenantId: string; subject: string; name: string; email: string; now: Date };

/**
 * Records a person as a pending rider. Does nothing if the rider exists or was erased, or if the tenant is
 * deleted.
 */
export async function recordRider(tx: Database, rider: RiderPerson): Promise<void> {
	const { tenantId, subject, name, email, now } = rider;
	await tx.query(
		`insert into riders (tenant_id, auth_service_user_id, name, email, status, created_at, changed_at)
		 select id, $2, $3, $4, 'pending', $5, $5 from tenants where id = $1 and deleted_at is null
		 on conflict (tenant_id, auth_service_user_id) do nothing`,
		[tenantId, subject, name, email, now],
	);
}

/**
 * Records a known person as a pending rider. Returns `unknown` if the person is not known, `taken` if the
 * rider exists.
 */
export async function addRider(
	tx: Database,
	{ tenantId, subject, now }: { tenantId: string; subject: string; now: Date },
): Promise<Rider | "unknown" | "taken"> {
	const [known] = await tx.query<{ name: string; email: string }>(
		`select name, email from users
		  where tenant_id = $1 and auth_service_user_id = $2 and status not in ('deleted', 'removed')`,
		[tenantId, subject],
	);
	if (known === undefined) return "unknown";
	const [row] = await tx.query<RiderRow>(
		`insert into riders (tenant_id, auth_service_user_id, name, email, status, created_at, changed_at)
		 values ($1, $2, $3, $4, 'pending', $5, $5)
		 on conflict (tenant_id, auth_service_user_id) do nothing
		 returning id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at`,
		[tenantId, subject, known.name, known.email, now],
	);
	return row === undefined ? "taken" : fromRow(row);
}

/** Updates a rider's name and e-mail address. */
export async function changeRider(
	tx: Database,
	{ tenantId, subject, name, email }: Omit<RiderPerson, "now">,
): Promise<void> {
	await tx.query(
		`update riders set name = $3, email = $4
		  where tenant_id = $1 and auth_service_user_id = $2 and status <> 'erased'`,
		[tenantId, subject, name, email],
	);
}

export type RiderPage = {
	/** Undefined: all tenants. */
	tenantId: string | undefined;
	/** Only this person, by their sign-on id; undefined: all. */
	owner: string | undefined;
	status: RiderStatus | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists riders in the order of their ids. Call it inside a tenant or across tenants. */
export async function listRiders(
	db: Database,
	{ tenantId, owner, status, after, limit }: RiderPage,
): Promise<Rider[]> {
	const rows = await db.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders
		  where status <> 'erased' and ($1::uuid is null or auth_service_user_id = $1)
		    and ($2::text is null or status = $2) and ($3::uuid is null or id > $3)
		    and ${ofTenant(tenantId, "tenant_id", "$5")}
		  order by id
		  limit $4`,
		[owner ?? null, status ?? null, after ?? null, limit, tenantId ?? null],
	);
	return rows.map(fromRow);
}

/** Returns a rider, undefined if not found or if `owner` is set and is another person. */
export async function findRider(
	db: Database,
	{ tenantId, id, owner }: { tenantId: string; id: string; owner: string | undefined },
): Promise<Rider | undefined> {
	const [row] = await db.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders
		  where tenant_id = $1 and id = $2 and status <> 'erased'
		    and ($3::uuid is null or auth_service_user_id = $3)`,
		[tenantId, id, owner ?? null],
	);
	return row && fromRow(row);
}

/** Returns a rider and locks the row until the transaction ends; undefined if not found. */
export async function lockRider(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<Rider | undefined> {
	const [row] = await tx.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders where tenant_id = $1 and id = $2 and status <> 'erased' for update`,
		[tenantId, id],
	);
	return row && fromRow(row);
}

export type Activated = { tenantId: string; id: string; limit: number; now: Date };

/**
 * Counts one more active rider, activates the rider and records a usage report. Returns false if the limit
 * (-1: unlimited) is reached. Lock the rider first. The count is locked until the transaction ends, so
 * parallel calls cannot exceed the limit.
 */
export async function activateRider(tx: Database, { tenantId, id, limit, now }: Activated): Promise<boolean> {
	if (limit === 0) return false;
	const counted = await tx.query(
		`insert into fleets as f (tenant_id, riders) values ($1, 1)
		 on conflict (tenant_id) do update set riders = f.riders + 1 where $2::int = -1 or f.riders < $2
		 returning tenant_id`,
		[tenantId, limit],
	);
	if (counted.length === 0) return false;
	await tx.query("insert into rider_reports (tenant_id, change, counted_at) values ($1, 1, $2)", [
		tenantId,
		now,
	]);
	const changed = await tx.query(
		"update riders set status = 'active', changed_at = $3 where tenant_id = $1 and id = $2 returning id",
		[tenantId, id, now],
	);
	return changed.length > 0;
}

/** Suspends a rider. If the rider was active, decrements the count and records a usage report. */
export async function suspendRider(
	tx: Database,
	{ tenantId, subject, now }: { tenantId: string; subject: string; now: Date },
): Promise<void> {
	await tx.query("select end_riding($1, $2, 'suspended', $3)", [tenantId, subject, now]);
}

/** Suspends a person in the fleets of all tenants. Returns the tenants in which they were active. */
export async function suspendRiderEverywhere(
	db: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>(
		"select tenant_id from end_riding_everywhere($1, 'suspended', $2)",
		[subject, now],
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

/**
 * Removes a person's personal data from the fleets of all tenants. Returns the tenants in which they were
 * active.
 */
export async function eraseRider(
	db: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>(
		"select tenant_id from end_riding_everywhere($1, 'erased', $2)",
		[subject, now],
	);
	return rows.map(({ tenant_id }) => tenant_id);
}

function fromRow({ tenant_id, auth_service_user_id, created_at, changed_at, ...row }: RiderRow): Rider {
	return {
		...row,
		tenantId: tenant_id,
		subject: auth_service_user_id,
		createdAt: created_at,
		changedAt: changed_at,
	};
}
