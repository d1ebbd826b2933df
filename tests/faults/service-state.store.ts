import type { Database } from "@lango/postgres";

// The state of each service, read as an administrator who sees the rows of all tenants.

/** A tenant, outlet or user as a service stores it, on one line. */
export type StateLine = { id: string; line: string };

/**
 * Tenants and outlets as the sign-on service has them, or as the hospital copied them: both tables have these
 * columns.
 */
export async function listPlaces(db: Database): Promise<StateLine[]> {
	return db.query<StateLine>(
		`select id::text, concat_ws(' ', 'tenant', slug, name, status, time_zone, currency, locale, version) as line from tenants
		 union all
		 select id::text, concat_ws(' ', 'outlet', tenant_id, code, name, use_case, is_hq, status, settings, version) from outlets
		 order by 1`,
	);
}

/** Some users and their memberships, as the sign-on service stores them. */
export async function listMembers(db: Database, userIds: readonly string[]): Promise<StateLine[]> {
	return db.query<StateLine>(
		`select u.id::text, concat_ws(' ', u.email, m.roles, m.status, u.version) as line
		   from users u join memberships m on m.user_id = u.id
		  where u.id = any ($1::uuid[]) order by 1`,
		[userIds],
	);
}

/** The same users, as the hospital copied them. */
export async function listCopiedMembers(db: Database, userIds: readonly string[]): Promise<StateLine[]> {
	return db.query<StateLine>(
		`select auth_service_user_id::text as id, concat_ws(' ', email, global_roles, status, version) as line
		   from users where auth_service_user_id = any ($1::uuid[]) order by 1`,
		[userIds],
	);
}

/** An event of a service's outbox. */
export type OutboxEvent = {
	id: string;
	type: string;
	subject: string;
	version: number | null;
	is_published: boolean;
};

/** A service's events after a position, in the order of its outbox. */
export async function listOutbox(db: Database, after = 0n): Promise<OutboxEvent[]> {
	return db.query<OutboxEvent>(
		`select envelope->>'id' as id, type, subject, (envelope->'data'->>'version')::int as version,
		        published_at is not null as is_published
		   from outbox where position > $1 order by position`,
		[after],
	);
}

/** The position of the last event in a service's outbox; 0 if it is empty. */
export async function lastPosition(db: Database): Promise<bigint> {
	const [row] = await db.query<{ position: bigint }>(
		"select coalesce(max(position), 0) as position from outbox",
	);
	return row?.position ?? 0n;
}

/** A service's unfinished work: events that wait or are dead, and own events that are not published. */
export type Undone = { waiting: number; dead: number; unpublished: number };

export async function countUndone(db: Database): Promise<Undone> {
	const [row] = await db.query<Undone>(
		`select count(*)::int as waiting, count(dead_at)::int as dead,
		        (select count(*)::int from outbox where published_at is null) as unpublished
		   from deliveries`,
	);
	if (row === undefined) throw new Error("counting returned nothing");
	return row;
}

/** The events that a service applied. */
export async function listApplied(db: Database): Promise<string[]> {
	const rows = await db.query<{ event_id: string }>("select event_id::text from inbox order by 1");
	return rows.map(({ event_id }) => event_id);
}

/** The event types to which a service subscribes. */
export async function listWantedTypes(db: Database): Promise<string[]> {
	const rows = await db.query<{ type: string }>(
		"select distinct unnest(types) as type from readings order by 1",
	);
	return rows.map(({ type }) => type);
}

/**
 * Adds triggers to the hospital's database that record each effect of an event on a tenant, an outlet or a
 * user, with its version, in the order of the effects. The service does not see them.
 */
export async function noteEffects(hospital: Database): Promise<void> {
	await hospital.query(`
		create table effects_seen (
		  position bigint generated always as identity primary key,
		  entity uuid not null,
		  version integer not null
		)`);
	await hospital.query(`
		create function note_effect() returns trigger language plpgsql security definer set search_path = public, pg_temp as $$
		begin
		  if tg_table_name = 'users' then
		    insert into effects_seen (entity, version) values (new.auth_service_user_id, new.version);
		  else
		    insert into effects_seen (entity, version) values (new.id, new.version);
		  end if;
		  return null;
		end $$`);
	for (const table of ["tenants", "outlets"]) {
		await hospital.query(`create trigger effect_made after insert on ${table} for each row when (new.event_number > 0)
			execute function note_effect()`);
		await hospital.query(`create trigger effect_seen after update on ${table} for each row
			when (new.event_number <> old.event_number) execute function note_effect()`);
	}
	await hospital.query(`create trigger effect_seen after update on users for each row
		when (new.version <> old.version) execute function note_effect()`);
}

/** The recorded versions of each entity, in order. */
export async function listEffects(hospital: Database): Promise<Map<string, number[]>> {
	const rows = await hospital.query<{ entity: string; version: number }>(
		"select entity::text, version from effects_seen order by position",
	);
	const lists = Map.groupBy(rows, ({ entity }) => entity);
	return new Map([...lists].map(([entity, list]) => [entity, list.map(({ version }) => version)]));
}

/** Makes every effect on an outlet at the hospital take longer, or as long as before. */
export async function slowDown(hospital: Database, seconds: number): Promise<void> {
	await hospital.query("drop trigger if exists effect_slow on outlets");
	if (seconds === 0) return;
	await hospital.query(`
		create or replace function be_slow() returns trigger language plpgsql as $$
		begin
		  perform pg_sleep(${Number(seconds)});
		  return new;
		end $$`);
	await hospital.query(
		"create trigger effect_slow before insert or update on outlets for each row execute function be_slow()",
	);
}

/** How often each change was made, by the keys of the ledger. */
export async function countSignOnChanges(auth: Database): Promise<Map<string, number>> {
	return counted(
		await auth.query<Counted>(
			`select 'tenant ' || slug as key, 1 as count from tenants
			 union all select 'outlet ' || tenant_id || '/' || code, 1 from outlets
			 union all select 'outlet changed ' || id, version - 1 from outlets
			 union all select 'roles changed ' || subject, count(*)::int from outbox where type = 'auth.user.updated' group by subject`,
		),
	);
}

export async function countSubscriptions(subscriptions: Database): Promise<Map<string, number>> {
	return counted(
		await subscriptions.query<Counted>(
			"select 'subscription ' || tenant_id as key, 1 as count from subscriptions",
		),
	);
}

export async function countHospitalChanges(hospital: Database): Promise<Map<string, number>> {
	return counted(
		await hospital.query<Counted>(
			`select 'role ' || role_code as key, 1 as count from roles
			 union all select 'role changed ' || role_code, version - 1 from roles`,
		),
	);
}

type Counted = { key: string; count: number };
const counted = (rows: readonly Counted[]) => new Map(rows.map(({ key, count }) => [key, count]));

/**
 * Makes outlets of a tenant at the sign-on service without an event: the first event is that of their
 * first change.
 */
export async function makeOutletsBehind(
	auth: Database,
	{ slug, count }: { slug: string; count: number },
): Promise<string[]> {
	const rows = await auth.query<{ id: string }>(
		`insert into outlets (tenant_id, code, name, use_case, version)
		 select id, 'BED-' || n, 'Bed ' || n, 'services', 0 from tenants, generate_series(1, $2::int) n where slug = $1
		 returning id::text`,
		[slug, count],
	);
	return rows.map(({ id }) => id);
}

type ChangedOutlet = {
	outlet_id: string;
	tenant_id: string;
	code: string;
	name: string;
	use_case: string;
	is_hq: boolean;
	status: string;
	settings: Record<string, unknown>;
	version: number;
};

/** Changes outlets; returns their new state. */
export async function changeOutletsBehind(auth: Database, ids: readonly string[]): Promise<ChangedOutlet[]> {
	return auth.query<ChangedOutlet>(
		`update outlets set version = version + 1, name = 'Bed, as of version ' || version + 1 where id = any ($1::uuid[])
		 returning id::text as outlet_id, tenant_id::text, code, name, use_case, is_hq, status, settings, version`,
		[ids],
	);
}
