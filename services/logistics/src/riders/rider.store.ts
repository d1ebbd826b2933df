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

/** A person as the sign-on service tells of them. */
export type ToldRider = { tenantId: string; subject: string; name: string; email: string; now: Date };

/** Makes a person a rider who waits; one who is there, or was erased, stays as they are. Not for a tenant that is deleted. */
export async function recordRider(tx: Database, rider: ToldRider): Promise<void> {
	const { tenantId, subject, name, email, now } = rider;
	await tx.query(
		`insert into riders (tenant_id, auth_service_user_id, name, email, status, created_at, changed_at)
		 select id, $2, $3, $4, 'pending', $5, $5 from tenants where id = $1 and deleted_at is null
		 on conflict on constraint riders__person_unique do nothing`,
		[tenantId, subject, name, email, now],
	);
}

/** Makes a person whom the service knows a rider who waits; `unknown` or `taken` when it could not. */
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

/** Brings name and address up to date. */
export async function changeRider(
	tx: Database,
	{ subject, name, email }: Pick<ToldRider, "subject" | "name" | "email">,
): Promise<void> {
	await tx.query(
		"update riders set name = $2, email = $3 where auth_service_user_id = $1 and status <> 'erased'",
		[subject, name, email],
	);
}

export type RiderPage = {
	/** Only this person, by the id at the sign-on service. */
	owner: string | undefined;
	status: RiderStatus | undefined;
	after: string | undefined;
	limit: number;
};

/** Riders of the tenant at hand, or of all where the platform's owner reads, by id. */
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

/** One rider, of a person when one is named; undefined when there is none. */
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

/** One rider, whom nobody else changes until the transaction ends. */
export async function lockRider(tx: Database, id: string): Promise<Rider | undefined> {
	const [row] = await tx.query<RiderRow>(
		`select id, tenant_id, auth_service_user_id, name, email, status, created_at, changed_at
		   from riders where id = $1 and status <> 'erased' for update`,
		[id],
	);
	return row && fromRow(row);
}

export type Admission = { tenantId: string; id: string; limit: number; now: Date };

/**
 * Counts one more rider of the fleet, has them ride, and notes what is to be told, in one statement; false when the limit (-1: none)
 * is reached. The rider is locked; the count is from here to the transaction's end, so of many at once no more than fit are admitted.
 */
export async function admitRider(tx: Database, { tenantId, id, limit, now }: Admission): Promise<boolean> {
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

/** Keeps a rider from riding; one who rode is counted no more, and that is noted to be told. */
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

/** Keeps a person from riding in every fleet, where they are counted no more; says of which tenants they rode. */
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

/** Removes what is personal of a person from every fleet, where they are counted no more; says of which tenants they rode. */
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
