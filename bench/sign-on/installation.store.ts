import { createHash } from "node:crypto";
import { withAdmin } from "@lango/postgres";
import { settleTables } from "../settle-tables.ts";

/** The number of people and tenants of an installation. */
export type Size = { people: number; tenants: number };

export const emailOf = (number: number) => `person-${number}@bench.example`;
export const slugOf = (number: number) => `tenant-${number}`;
/** The number of a person's tenant; both numbers start at 1. */
export const tenantOf = (person: number, { tenants }: Size) => (person % tenants) + 1;

/**
 * One person in sixteen is an administrator, the others are staff. Every tenant has one outlet. All people
 * have the same password.
 */
const statements: ReadonlyArray<(size: Size, passwordHash: string) => [text: string, values: unknown[]]> = [
	({ tenants }) => [
		`insert into tenants (slug, name, use_case)
		 select 'tenant-' || n, 'Tenant ' || n, 'retail' from generate_series(1, $1::int) n`,
		[tenants],
	],
	() => [
		"insert into tenant_slugs (slug, tenant_id) select slug, id from tenants where slug like 'tenant-%'",
		[],
	],
	() => [
		`insert into outlets (tenant_id, code, name, use_case)
		 select id, 'MAIN', 'Main shop', 'retail' from tenants where slug like 'tenant-%'`,
		[],
	],
	({ people, tenants }) => [
		`insert into users (email, email_folded, email_verified, name, primary_tenant_id)
		 select 'person-' || n || '@bench.example', 'person-' || n || '@bench.example', true, 'Person Number ' || n, t.id
		   from generate_series(1, $1::int) n join tenants t on t.slug = 'tenant-' || (n % $2::int + 1)`,
		[people, tenants],
	],
	(_, passwordHash) => [
		`insert into credentials (user_id, kind, secret)
		 select id, 'password', $1 from users where email like 'person-%'`,
		[passwordHash],
	],
	() => [
		`insert into memberships (tenant_id, user_id, roles)
		 select primary_tenant_id, id, case when id::text like '0%' then array['admin'] else array['staff'] end
		   from users where email like 'person-%'`,
		[],
	],
];

/**
 * Fills the tables of the sign-on service with people and tenants by one `insert … select` per table. The URL
 * is that of the database's administrator, who bypasses row-level security. Takes minutes for a million
 * people.
 */
export async function fillInstallation(
	url: string,
	size: Size,
	passwordHash: string,
): Promise<{ seconds: number; megabytes: number }> {
	const begin = performance.now();
	return withAdmin(url, async (client) => {
		await client.query("set statement_timeout = 0");
		for (const statement of statements) await client.query(...statement(size, passwordHash));
		await settleTables(client);
		const { rows } = await client.query<{ bytes: string }>(
			"select pg_database_size(current_database()) as bytes",
		);
		const seconds = (performance.now() - begin) / 1_000;
		return { seconds, megabytes: Math.round(Number(rows[0]?.bytes) / 1e6) };
	});
}

/** The ids of the tenants, by slug. */
export async function findTenantIds(url: string): Promise<ReadonlyMap<string, string>> {
	return withAdmin(url, async (client) => {
		const { rows } = await client.query<{ slug: string; id: string }>("select slug, id from tenants");
		return new Map(rows.map(({ slug, id }) => [slug, id]));
	});
}

/** A signed-in person with one session of the website and its live refresh token. */
export type FilledSession = {
	email: string;
	cookieValue: string;
	id: string;
	refreshToken: string;
	salt: string;
};

const atOnce = 20_000;

/** Records sessions as sign-ins and code exchanges would, with only the hashes of secrets. */
export async function fillSessions(
	url: string,
	sessions: readonly FilledSession[],
	keyId: string,
): Promise<void> {
	await withAdmin(url, async (client) => {
		for (let at = 0; at < sessions.length; at += atOnce) {
			const some = sessions.slice(at, at + atOnce);
			const columns = [
				some.map(({ email }) => email),
				some.map(({ cookieValue }) => sha256(cookieValue)),
				some.map(({ id }) => id),
				some.map(({ refreshToken }) => sha256(refreshToken)),
				some.map(({ salt }) => salt),
			];
			await client.query(recordSessions, [...columns, keyId]);
		}
		await settleTables(client);
	});
}

const sha256 = (text: string) => createHash("sha256").update(text).digest();

const recordSessions = `
	with filled as (
	  select f.*, u.id as user_id, u.primary_tenant_id as tenant_id, gen_random_uuid() as browser_id
	    from unnest($1::text[], $2::bytea[], $3::uuid[], $4::bytea[], $5::text[]) as f (email, cookie_hash, id, refresh_hash, salt)
	    join users u on u.email_folded = f.email
	), browsers as (
	  insert into browser_sessions (id, token_hash, user_id, auth_time, amr, last_used_at, expires_at)
	  select browser_id, cookie_hash, user_id, now(), array['pwd'], now(), now() + interval '14 days' from filled
	  returning id
	)
	insert into sessions (id, tenant_id, user_id, client_id, browser_session_id, scope, auth_time, amr, refresh_hash, refresh_salt,
	  refresh_key_id, idle_expires_at, expires_at)
	select f.id, f.tenant_id, f.user_id, c.id, f.browser_id, 'openid profile email offline_access', now(), array['pwd'], f.refresh_hash,
	  f.salt, $6, now() + interval '30 days', now() + interval '90 days'
	  from filled f join browsers b on b.id = f.browser_id join clients c on c.client_id = 'cafe-website'`;

/** Counts the sessions whose refresh token was rotated. */
export async function countUsedSessions(url: string): Promise<number> {
	return withAdmin(url, async (client) => {
		const { rows } = await client.query<{ used: string }>(
			"select count(*) as used from sessions where generation > 0 and revoked_at is null",
		);
		return Number(rows[0]?.used);
	});
}

/** `sessionsMax` of the sign-on service (services/auth/src/sessions/grant/session-limit.ts). */
const sessionsMax = 50;

/**
 * Checks that every person is below the limit of sessions. At the limit each sign-in also ends a session, and
 * the rate is that of another load. Throws an Error that says how many sessions the person with the most has.
 */
export async function requireSessionsBelowLimit(url: string): Promise<void> {
	await withAdmin(url, async (client) => {
		const { rows } = await client.query<{ most: number }>(
			`select coalesce(max(live), 0)::int as most
			   from (select count(*) as live from sessions where revoked_at is null group by user_id) by_user`,
		);
		const most = Number(rows[0]?.most);
		if (most >= sessionsMax)
			throw new Error(`A person has ${most} sessions, the limit: compare with more people (options.ts).`);
	});
}

/** Resets the counts of the statements of all databases. */
export async function countStatements(url: string): Promise<void> {
	await withAdmin(url, async (client) => {
		await client.query("create extension if not exists pg_stat_statements");
		await client.query("select pg_stat_statements_reset()");
	});
}

export type CountedStatement = { text: string; calls: number; planMs: number; runMs: number };

/**
 * The slowest statements of a database by its name, and always those that record events, with their time per
 * call.
 */
export async function listStatements(url: string, database: string | undefined): Promise<CountedStatement[]> {
	return withAdmin(url, async (client) => {
		const { rows } = await client.query<CountedStatement>(
			`select regexp_replace(left(query, 150), '\\s+', ' ', 'g') as text, calls::int, mean_plan_time as "planMs",
			   mean_exec_time as "runMs"
			   from (select *, row_number() over (order by total_plan_time + total_exec_time desc) as place
			           from pg_stat_statements left join pg_database d on d.oid = dbid
			          where $1::text is null or d.datname = $1) s
			  where place <= 14 or query like 'insert into outbox%' order by place`,
			[database ?? null],
		);
		return rows;
	});
}

/** Sets the signature algorithm of the website's ID tokens. */
export async function changeIdTokenAlgorithm(url: string, algorithm: "RS256" | "ES256"): Promise<void> {
	await withAdmin(url, async (client) => {
		await client.query("update clients set id_token_algorithm = $1 where client_id = 'cafe-website'", [
			algorithm,
		]);
	});
}

/** Describes the server settings that determine the cost of a commit. */
export async function describeDurability(url: string): Promise<string> {
	return withAdmin(url, async (client) => {
		const { rows } = await client.query<{ name: string; setting: string }>(
			`select name, current_setting(name) as setting
			   from unnest(array['fsync', 'synchronous_commit', 'full_page_writes', 'shared_buffers', 'max_wal_size']) name`,
		);
		return rows.map(({ name, setting }) => `${name} = ${setting}`).join(", ");
	});
}
