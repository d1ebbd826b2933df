import type { Database } from "@lango/postgres";

// What each service holds, read as an administrator who sees the rows of all tenants.

/** A tenant, outlet or person as a service holds it, on one line. */
export type Held = { id: string; line: string };

/**
 * Tenants and outlets as the sign-on service has them, or as the hospital copied them: both tables have these
 * columns.
 */
export async function listPlaces(db: Database): Promise<Held[]> {
	return db.query<Held>(
		`select id::text, concat_ws(' ', 'tenant', slug, name, status, time_zone, currency, locale, version) as line from tenants
		 union all
		 select id::text, concat_ws(' ', 'outlet', tenant_id, code, name, use_case, is_hq, status, settings, version) from outlets
		 order by 1`,
	);
}

/** Some people of a tenant and how they stand in it, as the sign-on service has them. */
export async function listMembers(db: Database, userIds: readonly string[]): Promise<Held[]> {
	return db.query<Held>(
		`select u.id::text, concat_ws(' ', u.email, m.roles, m.status, u.version) as line
		   from users u join memberships m on m.user_id = u.id
		  where u.id = any ($1::uuid[]) order by 1`,
		[userIds],
	);
}

/** The same people as the hospital copied them. */
export async function listCopiedMembers(db: Database, userIds: readonly string[]): Promise<Held[]> {
	return db.query<Held>(
		`select auth_service_user_id::text as id, concat_ws(' ', email, global_roles, status, version) as line
		   from users where auth_service_user_id = any ($1::uuid[]) order by 1`,
		[userIds],
	);
}

/** An event a service wrote, in the order of its outbox. */
export type Told = {
	id: string;
	type: string;
	subject: string;
	version: number | null;
	is_published: boolean;
};

export async function listTold(db: Database, after = 0n): Promise<Told[]> {
	return db.query<Told>(
		`select envelope->>'id' as id, type, subject, (envelope->'data'->>'version')::int as version,
		        published_at is not null as is_published
		   from outbox where position > $1 order by position`,
		[after],
	);
}

/** The last event a service wrote so far. */
export async function lastTold(db: Database): Promise<bigint> {
	const [row] = await db.query<{ position: bigint }>(
		"select coalesce(max(position), 0) as position from outbox",
	);
	return row?.position ?? 0n;
}

/**
 * What is not done yet at a service: events that wait or are dead there, and those of its own that nobody
 * took.
 */
export type Undone = { waiting: number; dead: number; untold: number };

export async function countUndone(db: Database): Promise<Undone> {
	const [row] = await db.query<Undone>(
		`select count(*)::int as waiting, count(dead_at)::int as dead,
		        (select count(*)::int from outbox where published_at is null) as untold
		   from deliveries`,
	);
	if (row === undefined) throw new Error("counting returned nothing");
	return row;
}

/** The events that had their effect at a service. */
export async function listApplied(db: Database): Promise<string[]> {
	const rows = await db.query<{ event_id: string }>("select event_id::text from inbox order by 1");
	return rows.map(({ event_id }) => event_id);
}

/** Types of events a service asked for. */
export async function listWantedTypes(db: Database): Promise<string[]> {
	const rows = await db.query<{ type: string }>(
		"select distinct unnest(types) as type from readings order by 1",
	);
	return rows.map(({ type }) => type);
}

/**
 * Has the hospital's database note, behind the service's back, each effect of an event on a tenant, an outlet
 * or a person, with the version it brought, in the order of the effects.
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
		await hospital.query(`create trigger effect_made after insert on ${table} for each row when (new.heard > 0)
			execute function note_effect()`);
		await hospital.query(`create trigger effect_seen after update on ${table} for each row
			when (new.heard <> old.heard) execute function note_effect()`);
	}
	await hospital.query(`create trigger effect_seen after update on users for each row
		when (new.version <> old.version) execute function note_effect()`);
}

/** The versions each entity was brought to, in their order. */
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
 * Makes outlets of a tenant at the sign-on service without telling anybody: their first version is told with
 * their first change.
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

/** Changes outlets, and tells how they stand now. */
export async function changeOutletsBehind(auth: Database, ids: readonly string[]): Promise<ChangedOutlet[]> {
	return auth.query<ChangedOutlet>(
		`update outlets set version = version + 1, name = 'Bed, as of version ' || version + 1 where id = any ($1::uuid[])
		 returning id::text as outlet_id, tenant_id::text, code, name, use_case, is_hq, status, settings, version`,
		[ids],
	);
}
