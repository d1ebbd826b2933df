import type { Database } from "@lango/postgres";
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
		 on conflict on constraint riders__person_unique do nothing`,
		[tenantId, subject, name, email, now],
	);
}

/**
 * Records a known person as a pending rider. Returns `unknown` if the person is not known, `taken` if the
 * rider exists.
 */
export async function addRider(
	tx: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<Rider | "unknown" | "taken"> {
	const [known] = await tx.query(
		"select from users where auth_service_user_id = $1 and status not in ('deleted', 'removed')",
		[subject],
	);
	if (known === undefined) return "unknown";
	const [row] = await tx.query<RiderRow>(
		`insert into riders (tenant_id, auth_service_user_id, name, email, status, created_at, changed_at)
		 select tenant_id, auth_service_user_id, name, email, 'pending', $2, $2 from users where auth_service_user_id = $1
		 on conflict on constraint riders__person_unique do nothing
		 returning id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at`,
		[subject, now],
	);
	return row === undefined ? "taken" : fromRow(row);
}

/** Updates a rider's name and e-mail address. */
export async function changeRider(
	tx: Database,
	{ subject, name, email }: Pick<RiderPerson, "subject" | "name" | "email">,
): Promise<void> {
	await tx.query(
		"update riders set name = $2, email = $3 where auth_service_user_id = $1 and status <> 'erased'",
		[subject, name, email],
	);
}

export type RiderPage = {
	/** Only this person, by their sign-on id; undefined: all. */
	owner: string | undefined;
	status: RiderStatus | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists riders in the order of their ids. Call it inside a tenant or across tenants. */
export async function listRiders(db: Database, { owner, status, after, limit }: RiderPage): Promise<Rider[]> {
	const rows = await db.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders
		  where status <> 'erased' and ($1::uuid is null or auth_service_user_id = $1)
		    and ($2::text is null or status = $2) and ($3::uuid is null or id > $3)
		  order by id
		  limit $4`,
		[owner ?? null, status ?? null, after ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Returns a rider, undefined if not found or if `owner` is set and is another person. */
export async function findRider(
	db: Database,
	{ id, owner }: { id: string; owner: string | undefined },
): Promise<Rider | undefined> {
	const [row] = await db.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders where id = $1 and status <> 'erased' and ($2::uuid is null or auth_service_user_id = $2)`,
		[id, owner ?? null],
	);
	return row && fromRow(row);
}

/** Returns a rider and locks the row until the transaction ends; undefined if not found. */
export async function lockRider(tx: Database, id: string): Promise<Rider | undefined> {
	const [row] = await tx.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders where id = $1 and status <> 'erased' for update`,
		[id],
	);
	return row && fromRow(row);
}

export type Activated = { tenantId: string; id: string; limit: number; now: Date };

/**
 * Counts one more active rider, activates the rider and records a usage report, in one statement. Returns
 * false if the limit (-1: unlimited) is reached. Lock the rider first. The count is locked until the
 * transaction ends, so parallel calls cannot exceed the limit.
 */
export async function activateRider(tx: Database, { tenantId, id, limit, now }: Activated): Promise<boolean> {
	const rows = await tx.query(
		`with counted as (
		   insert into fleets as f (tenant_id, riders)
		   select $1, 1 where $3::int = -1 or $3 > 0
		   on conflict on constraint fleets__pkey do update
		      set riders = f.riders + 1 where $3 = -1 or f.riders < $3
		   returning tenant_id
		 ), noted as (
		   insert into rider_reports (tenant_id, change, counted_at) select tenant_id, 1, $4 from counted
		 )
		 update riders set status = 'active', changed_at = $4 from counted where id = $2 returning id`,
		[tenantId, id, limit, now],
	);
	return rows.length > 0;
}

/** Suspends a rider. If the rider was active, decrements the count and records a usage report. */
export async function suspendRider(
	tx: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<void> {
	await tx.query(
		`with before as (
		   select id, tenant_id, status from riders
		    where auth_service_user_id = $1 and status in ('pending', 'active') for update
		 ), rode as (
		   update fleets f set riders = f.riders - 1 from before b where b.tenant_id = f.tenant_id and b.status = 'active'
		   returning f.tenant_id
		 ), noted as (
		   insert into rider_reports (tenant_id, change, counted_at) select tenant_id, -1, $2 from rode
		 )
		 update riders r set status = 'suspended', changed_at = $2 from before where r.id = before.id`,
		[subject, now],
	);
}

/** Suspends a person in the fleets of all tenants. Returns the tenants in which they were active. */
export async function suspendRiderEverywhere(
	db: Database,
	{ subject, now }: { subject: string; now: Date },
): Promise<string[]> {
	const rows = await db.query<{ tenant_id: string }>("select tenant_id from suspend_rider($1, $2)", [
		subject,
		now,
	]);
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
	const rows = await db.query<{ tenant_id: string }>("select tenant_id from erase_rider($1, $2)", [
		subject,
		now,
	]);
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
