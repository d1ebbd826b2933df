import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database } from "./transaction.ts";

/**
 * A folder with `migrations/NNNN_what.sql`, named after the package or service that owns the tables. The
 * first file is the base: all tables of version 0.1.0.
 */
export type MigrationSet = { name: string; folder: string };

type Migration = { set: string; number: number; file: string; breaking: boolean; sql: string };

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
const firstLine = /^-- breaking: (no|yes, because .+)$/;
/** A file that contains only this statement, besides comments. */
const indexAlone = /^create (?:unique )?index concurrently (\w+) on [^;]+;$/;

/**
 * Reads a set's migrations in order. Throws an Error if a file has an invalid name or first line, or if a
 * number is missing.
 */
export async function readMigrations({ name, folder }: MigrationSet): Promise<Migration[]> {
	const files = (await readdir(join(folder, "migrations"))).filter((file) => file.endsWith(".sql")).sort();
	return Promise.all(
		files.map(async (file, index) => {
			const number = Number(fileName.exec(file)?.[1]);
			if (number !== index + 1)
				throw new Error(`${name}/${file}: migrations are numbered 0001, 0002, … without gaps`);
			const sql = await readFile(join(folder, "migrations", file), "utf8");
			const marker = firstLine.exec(sql.slice(0, sql.indexOf("\n")));
			if (marker === null)
				throw new Error(
					`${name}/${file}: the first line must be "-- breaking: no" or "-- breaking: yes, because …"`,
				);
			return { set: name, number, file, breaking: marker[1] !== "no", sql };
		}),
	);
}

/**
 * Applies the pending migrations of the sets, each file in one transaction. The version row is inserted
 * first, so that two concurrent migrators conflict on its key. A file that contains only `create index
 * concurrently` runs outside a transaction, without blocking writes; an interrupted one is started again.
 * Connects as the owner of the tables. Returns the applied files. Throws an Error if a statement fails
 * (the file is rolled back), a lock is not acquired in time, a file was changed after it was applied, or
 * another file was applied under its number.
 */
export async function migrate(ownerUrl: string, sets: readonly MigrationSet[]): Promise<string[]> {
	const all = (await Promise.all(sets.map(readMigrations))).flat();
	return asOwner(ownerUrl, async (client) => {
		const { rows } = await client.query<Recorded>(
			"select set_name, number, file, content_hash from migrations",
		);
		const recorded = new Map(rows.map((row) => [`${row.set_name}/${row.number}`, row]));
		const recordOf = ({ set, number }: Migration) => recorded.get(`${set}/${number}`);
		for (const migration of all) requireUnchanged(migration, recordOf(migration));
		const pending = all.filter((migration) => recordOf(migration) === undefined);
		for (const migration of pending)
			await (indexOf(migration) === undefined ? apply : buildIndex)(client, migration);
		return pending.map(({ set, file }) => `${set}/${file}`);
	});
}

type Recorded = { set_name: string; number: number; file: string; content_hash: string };

/** Throws an Error if the file that was applied under this number is not this one. */
function requireUnchanged(migration: Migration, recorded: Recorded | undefined): void {
	if (recorded === undefined) return;
	const { set, file } = migration;
	if (recorded.file !== file)
		throw new Error(
			`the database was created by another version (it has ${set}/${recorded.file} and not ${set}/${file}): start with an empty database (npm start -- --fresh), or continue with the version that created it`,
		);
	if (recorded.content_hash !== hashOf(migration))
		throw new Error(
			`migration ${set}/${file} was changed after it was applied: add a new migration instead (or start with an empty database: npm start -- --fresh)`,
		);
}

/**
 * Runs `work` as the owner under the migration lock. `lock_timeout` applies to the statements, not to this
 * lock.
 */
async function asOwner<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client({
		connectionString: ownerUrl,
		application_name: "lango-migrate",
		connectionTimeoutMillis: 10_000,
	});
	// A lost connection also rejects the current statement, which reports it.
	client.on("error", () => undefined);
	await client.connect();
	try {
		await client.query("set client_min_messages = warning");
		await acquireMigrationLock(client);
		await client.query(limits);
		await client.query(bookkeeping);
		return await work(client);
	} finally {
		await client.end();
	}
}

/**
 * The time limits of a statement and of its wait for a lock, during which other statements wait behind it.
 */
const limits = "set statement_timeout = '10min'; set lock_timeout = '5s'";

const lockMsMax = 30 * 60_000;

/**
 * Polls for the migration lock: a blocking statement would be a transaction that a concurrent index build
 * waits for. Throws an Error if another migrator holds the lock for half an hour.
 */
async function acquireMigrationLock(client: pg.Client): Promise<void> {
	const endAt = performance.now() + lockMsMax;
	while (performance.now() < endAt) {
		const { rows } = await client.query("select pg_try_advisory_lock(hashtext('lango-migrate')) as is_mine");
		if (rows[0]?.is_mine === true) return;
		await sleep(200);
	}
	throw new Error(
		"another migration of this database has been running for half an hour: look for application_name lango-migrate in pg_stat_activity",
	);
}

const bookkeeping = `
create table if not exists migrations (
  set_name text not null,
  number integer not null,
  file text not null,
  breaking boolean not null,
  content_hash text not null,
  applied_at timestamptz not null default now(),
  constraint migrations__pkey primary key (set_name, number)
);
grant usage on schema public to lango_app, lango_lookup, lango_platform;
grant create on schema public to lango_lookup;
grant select on migrations to lango_app`;

/** The hash that detects a changed file. */
const hashOf = ({ sql }: Migration) => createHash("sha256").update(sql).digest("hex");

async function apply(client: pg.Client, migration: Migration): Promise<void> {
	await client.query("begin");
	try {
		await recordMigration(client, migration);
		await client.query(migration.sql);
		await client.query("commit");
	} catch (error) {
		// If the rollback fails, the connection is lost, and the server rolls back by itself.
		await client.query("rollback").catch(() => undefined);
		throw failed(migration, error);
	}
}

/** The name of the index if the file only builds an index concurrently; otherwise undefined. */
function indexOf({ sql }: Migration): string | undefined {
	return indexAlone.exec(
		sql
			.replaceAll(/^--.*$/gm, "")
			.replaceAll(/\s+/g, " ")
			.trim(),
	)?.[1];
}

/**
 * Builds an index without blocking writes. It waits for older transactions and has no time limit. An
 * invalid index of an interrupted build is dropped first; a complete index without a version row is
 * recorded.
 */
async function buildIndex(client: pg.Client, migration: Migration): Promise<void> {
	const index = indexOf(migration);
	try {
		await client.query("set statement_timeout = 0; set lock_timeout = '10min'");
		const { rows } = await client.query<{ indisvalid: boolean }>(
			"select indisvalid from pg_index where indexrelid = to_regclass($1)",
			[index],
		);
		if (rows[0]?.indisvalid === false) await client.query(`drop index concurrently ${index}`);
		if (rows[0]?.indisvalid !== true) await client.query(migration.sql);
		await recordMigration(client, migration);
		await client.query(limits);
	} catch (error) {
		throw failed(migration, error);
	}
}

function recordMigration(client: pg.Client, migration: Migration): Promise<unknown> {
	const { set, number, file, breaking } = migration;
	return client.query(
		"insert into migrations (set_name, number, file, breaking, content_hash) values ($1, $2, $3, $4, $5)",
		[set, number, file, breaking, hashOf(migration)],
	);
}

const failed = ({ set, file }: Migration, cause: unknown) =>
	new Error(`migration ${set}/${file} failed: ${(cause as Error).message}`, { cause });

/** The difference between a database and the migrations of this program. */
export type MigrationState = {
	/** Files that are not applied yet: run the migrations. */
	pending: string[];
	/** Applied breaking migrations that this program does not have: the program is too old. */
	tooNew: string[];
};

/**
 * Compares the database with the migrations returned by `readMigrations`. Reads one small table. In a
 * database without it, every file is pending.
 */
export async function compareMigrations(
	db: Database,
	known: ReadonlyArray<{ set: string; file: string }>,
): Promise<MigrationState> {
	const names = new Set(known.map(({ set, file }) => `${set}/${file}`));
	const applied = await listApplied(db);
	const have = new Set(applied.map(({ id }) => id));
	return {
		pending: [...names].filter((id) => !have.has(id)),
		tooNew: applied.filter(({ id, breaking }) => breaking && !names.has(id)).map(({ id }) => id),
	};
}

type Applied = { id: string; breaking: boolean };

async function listApplied(db: Database): Promise<Applied[]> {
	const [table] = await db.query(
		"select from pg_tables where schemaname = 'public' and tablename = 'migrations'",
	);
	if (table === undefined) return [];
	return db.query<Applied>("select set_name || '/' || file as id, breaking from migrations");
}
