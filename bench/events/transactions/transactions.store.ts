import { type Database, withAdmin } from "@lango/postgres";
import { databaseAt } from "../../database-at.ts";
import { settleTables } from "../../settle-tables.ts";

/**
 * Creates the tables of plain rows: those in the place of events, and those of plain transactions. Each has
 * one index.
 */
export async function makeRows(adminUrl: string, database: string): Promise<void> {
	await withAdmin(databaseAt(adminUrl, database), (admin) =>
		admin.query(`
			create table bench_rows (position bigint generated always as identity primary key, type text not null, subject text not null, body text not null);
			create table bench_things (id bigint generated always as identity primary key, subject text not null, note text not null);
			grant insert on bench_rows, bench_things to lango_app`),
	);
}

/** Writes a plain row with the commit, as an event is written. */
export const recordRow = (
	db: Database,
	{ type, subject, body }: { type: string; subject: string; body: string },
) =>
	db.queryBeforeCommit("insert into bench_rows (type, subject, body) values ($1, $2, $3)", [
		type,
		subject,
		body,
	]);

export const recordThing = (db: Database, subject: string) =>
	db.query("insert into bench_things (subject, note) values ($1, $2)", [subject, "x".repeat(200)]);

/** Vacuums, and writes dirty pages to disk. */
export const settle = (adminUrl: string, database: string): Promise<void> =>
	withAdmin(databaseAt(adminUrl, database), settleTables);

/** Counts the rows in the tables of events and of plain rows. */
export async function countWritten(
	adminUrl: string,
	database: string,
): Promise<{ events: number; rows: number }> {
	return withAdmin(databaseAt(adminUrl, database), async (admin) => {
		const { rows } = await admin.query<{ events: number; rows: number }>(
			"select (select count(*)::int from outbox) as events, (select count(*)::int from bench_rows) as rows",
		);
		return rows[0] ?? { events: 0, rows: 0 };
	});
}

/** Creates tenants of a domain service, as events of the sign-on service would. */
export async function recordTenants(db: Database, ids: readonly string[]): Promise<void> {
	await db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 select id, id::text, 'Bench', 'active', 'UTC', 'KES', 'en', now() from unnest($1::uuid[]) id`,
		[ids],
	);
}

/** Creates live sessions of the people of a filled sign-on service with one client. Returns their keys. */
export async function fillLiveSessions(
	ownerUrl: string,
	count: number,
): Promise<Array<{ tenantId: string; sessionId: string }>> {
	return withAdmin(ownerUrl, async (admin) => {
		const { rows } = await admin.query<{ tenant_id: string; id: string }>(
			`insert into sessions (id, tenant_id, user_id, client_id, scope, auth_time, amr, idle_expires_at, expires_at)
			 select gen_random_uuid(), u.primary_tenant_id, u.id, c.id, 'openid', now(), array['pwd'], now() + interval '30 days',
			        now() + interval '90 days'
			   from clients c, users u, generate_series(1, $1::int / (select count(*)::int from users) + 1)
			 returning tenant_id, id`,
			[count],
		);
		return rows.map(({ tenant_id: tenantId, id: sessionId }) => ({ tenantId, sessionId }));
	});
}

/** Restores ended sessions, so that they can be ended again. */
export async function reviveSessions(ownerUrl: string): Promise<void> {
	await withAdmin(ownerUrl, (admin) =>
		admin.query("update sessions set revoked_at = null, revoked_because = null where revoked_at is not null"),
	);
}
