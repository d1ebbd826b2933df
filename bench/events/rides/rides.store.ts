import { type Database, withAdmin } from "@lango/postgres";
import { databaseAt } from "../../database-at.ts";
import { settleTables } from "../../settle-tables.ts";

/** Makes the tables of plain rows: what is written in place of an event, and what a plain transaction writes. Each has one index. */
export async function makeRows(adminUrl: string, database: string): Promise<void> {
	await withAdmin(databaseAt(adminUrl, database), (admin) =>
		admin.query(`
			create table bench_rows (position bigint generated always as identity primary key, type text not null, subject text not null, body text not null);
			create table bench_things (id bigint generated always as identity primary key, subject text not null, note text not null);
			grant insert on bench_rows, bench_things to lango_app`),
	);
}

/** A plain row, sent as an event is: with the commit. */
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

/** Has nothing left to do from before: no vacuum is due, and nothing waits to be written out. */
export const settle = (adminUrl: string, database: string): Promise<void> =>
	withAdmin(databaseAt(adminUrl, database), settleTables);

/** How many rows stand where events are written, and where plain rows are. */
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

/** Tenants of a domain service, as the sign-on service's events would have made them. */
export async function recordTenants(db: Database, ids: readonly string[]): Promise<void> {
	await db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 select id, id::text, 'Bench', 'active', 'UTC', 'KES', 'en', now() from unnest($1::uuid[]) id`,
		[ids],
	);
}

/** Live sessions of the people of a filled sign-on service, with one client; returns their ids. */
export async function fillLiveSessions(ownerUrl: string, count: number): Promise<string[]> {
	return withAdmin(ownerUrl, async (admin) => {
		const { rows } = await admin.query<{ id: string }>(
			`insert into sessions (id, tenant_id, user_id, client_id, scope, auth_time, amr, idle_expires_at, expires_at)
			 select gen_random_uuid(), u.primary_tenant_id, u.id, c.id, 'openid', now(), array['pwd'], now() + interval '30 days',
			        now() + interval '90 days'
			   from clients c, users u, generate_series(1, $1::int / (select count(*)::int from users) + 1)
			 returning id`,
			[count],
		);
		return rows.map(({ id }) => id);
	});
}

/** Has sessions that were ended live again, so that they can be ended once more. */
export async function reviveSessions(ownerUrl: string): Promise<void> {
	await withAdmin(ownerUrl, (admin) =>
		admin.query("update sessions set revoked_at = null, revoked_because = null where revoked_at is not null"),
	);
}
