import { eventMigrations } from "@lango/events";
import { type Database, migrate, openPool, type Pool, prepareDatabase, withAdmin } from "@lango/postgres";

/** A database with the tables of events and a table of counts. */
export type EventDatabase = { url: string; db: Pool };

/** Creates the database. */
export async function createEventDatabase(adminUrl: string, name: string): Promise<EventDatabase> {
	const { owner, app } = await prepareDatabase(adminUrl, name);
	await migrate(owner, [eventMigrations]);
	const url = new URL(adminUrl);
	url.pathname = `/${name}`;
	await withAdmin(url.toString(), (admin) =>
		admin.query(`
			create table things (id bigint generated always as identity primary key, subject text not null, note text not null);
			create table effects (n integer primary key, at double precision not null);
			grant select, insert, delete on things, effects to lango_app`),
	);
	return { url: app, db: openPool({ url: app, name: "bench", sizeMax: 12 }) };
}

/** Fills the outbox with events of this number of subjects in their own stream. Removes earlier events. */
export async function fillOutbox(db: Database, { count, subjects }: { count: number; subjects: number }) {
	await db.query("delete from outbox");
	await db.query(
		`insert into outbox (type, subject, envelope)
		 select 'filling.thing.made', 's' || (n % $2), jsonb_build_object(
		          'specversion', '1.0', 'id', id, 'source', '/bench', 'type', 'filling.thing.made', 'time', now(),
		          'subject', 's' || (n % $2), 'datacontenttype', 'application/json',
		          'tenantid', gen_random_uuid(), 'data', jsonb_build_object('n', n, 'note', repeat('x', 200)))
		   from (select n, gen_random_uuid() as id from generate_series(1, $1::int) n) g
		  order by n`,
		[count, subjects],
	);
}

export async function countUnpublished(db: Database): Promise<number> {
	const [row] = await db.query<{ n: number }>(
		"select count(*)::int as n from outbox where published_at is null",
	);
	return row?.n ?? 0;
}

export const recordThing = (db: Database, subject: string) =>
	db.query("insert into things (subject, note) values ($1, $2)", [subject, "x".repeat(200)]);

export const recordEffect = (db: Database, n: number, at: number) =>
	db.query("insert into effects (n, at) values ($1, $2)", [n, at]);

export const listEffects = (db: Database) => db.query<{ n: number; at: number }>("select n, at from effects");

export async function emptyGround(db: Database): Promise<void> {
	for (const table of ["outbox", "things", "effects"]) await db.query(`delete from ${table}`);
}
