import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import type { Database } from "./database.ts";

/** A folder with `schema.sql` and `migrations/NNNN_what.sql`, named for the package or service that owns its tables. */
export type MigrationSet = { name: string; folder: string };

type Migration = { set: string; number: number; file: string; breaking: boolean; sql: string };

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
const firstLine = /^-- breaking: (no|yes, because .+)$/;

/** Reads a set's migrations in order. Throws when a file is misnamed, lacks its first line, or a number is missing. */
export async function readMigrations({ name, folder }: MigrationSet): Promise<Migration[]> {
	const files = (await readdir(join(folder, "migrations"))).filter((file) => file.endsWith(".sql")).sort();
	return Promise.all(
		files.map(async (file, index) => {
			const number = Number(fileName.exec(file)?.[1]);
			if (number !== index + 1) throw new Error(`${name}/${file}: migrations are numbered 0001, 0002, … without gaps`);
			const sql = await readFile(join(folder, "migrations", file), "utf8");
			const marker = firstLine.exec(sql.slice(0, sql.indexOf("\n")));
			if (marker === null) throw new Error(`${name}/${file}: the first line says "-- breaking: no" or "-- breaking: yes, because …"`);
			return { set: name, number, file, breaking: marker[1] !== "no", sql };
		}),
	);
}

/**
 * Brings a database up to the sets' newest migration, each file in one transaction, its version row first,
 * so that two migrators collide on a key and not on half-made tables. Connects as the owner of the tables.
 * Returns the files applied. Throws when a statement fails (that file is rolled back) or a lock is not had in time.
 */
export async function migrate(ownerUrl: string, sets: readonly MigrationSet[]): Promise<string[]> {
	const all = (await Promise.all(sets.map(readMigrations))).flat();
	const client = new pg.Client({ connectionString: ownerUrl, application_name: "lango-migrate" });
	await client.connect();
	try {
		await client.query("set lock_timeout = '5s'; set statement_timeout = '10min'; set client_min_messages = warning");
		await client.query("select pg_advisory_lock(hashtext('lango-migrate'))");
		await client.query(bookkeeping);
		const done = new Set(
			(await client.query<{ id: string }>("select set_name || '/' || file as id from migrations")).rows.map(({ id }) => id),
		);
		const pending = all.filter(({ set, file }) => !done.has(`${set}/${file}`));
		for (const migration of pending) await apply(client, migration);
		return pending.map(({ set, file }) => `${set}/${file}`);
	} finally {
		await client.end();
	}
}

const bookkeeping = `
create table if not exists migrations (
  set_name text not null,
  number integer not null,
  file text not null,
  breaking boolean not null,
  applied_at timestamptz not null default now(),
  constraint migrations__pkey primary key (set_name, number)
);
grant usage on schema public to lango_app, lango_lookup, lango_platform;
grant create on schema public to lango_lookup;
grant select on migrations to lango_app`;

async function apply(client: pg.Client, { set, number, file, breaking, sql }: Migration): Promise<void> {
	await client.query("begin");
	try {
		await client.query("insert into migrations (set_name, number, file, breaking) values ($1, $2, $3, $4)", [
			set, number, file, breaking,
		]);
		await client.query(sql);
		await client.query("commit");
	} catch (error) {
		await client.query("rollback");
		throw new Error(`migration ${set}/${file} failed: ${(error as Error).message}`, { cause: error });
	}
}

/** How a database stands against the sets this program was built with. */
export type MigrationState = {
	/** Files this program has and the database lacks: run the migrations first. */
	pending: string[];
	/** Breaking migrations the database has and this program does not know: this program is too old for it. */
	tooNew: string[];
};

/** Compares the database with the program's sets; reads one small table. */
export async function compareMigrations(db: Database, sets: readonly MigrationSet[]): Promise<MigrationState> {
	const known = (await Promise.all(sets.map(readMigrations))).flat();
	const names = new Set(known.map(({ set, file }) => `${set}/${file}`));
	const applied = await db.query<{ id: string; breaking: boolean }>(
		"select set_name || '/' || file as id, breaking from migrations",
	);
	const have = new Set(applied.map(({ id }) => id));
	return {
		pending: [...names].filter((id) => !have.has(id)),
		tooNew: applied.filter(({ id, breaking }) => breaking && !names.has(id)).map(({ id }) => id),
	};
}
