import { createHash } from "node:crypto";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import type { Database } from "./transaction.ts";

/** A folder with `schema.sql` and `migrations/NNNN_what.sql`, named for the package or service that owns its tables. */
export type MigrationSet = { name: string; folder: string };

type Migration = { set: string; number: number; file: string; breaking: boolean; sql: string };

const fileName = /^(\d{4})_[a-z0-9_]+\.sql$/;
const firstLine = /^-- breaking: (no|yes, because .+)$/;
/** A file that is this one statement, beside comments. */
const indexAlone = /^create (?:unique )?index concurrently (\w+) on [^;]+;$/;

/** Reads a set's migrations in order. Throws when a file is misnamed, lacks its first line, or a number is missing. */
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
					`${name}/${file}: the first line says "-- breaking: no" or "-- breaking: yes, because …"`,
				);
			return { set: name, number, file, breaking: marker[1] !== "no", sql };
		}),
	);
}

/**
 * Brings a database up to the sets' newest migration, each file in one transaction, its version row first,
 * so that two migrators collide on a key and not on half-made tables. A file that is one `create index concurrently` is built outside a
 * transaction, while others go on writing; one that was interrupted is begun anew. Connects as the owner of the tables.
 * Returns the files applied. Throws when a statement fails (that file is rolled back), a lock is not had in time, or a
 * file was changed after this database had it.
 */
export async function migrate(ownerUrl: string, sets: readonly MigrationSet[]): Promise<string[]> {
	const all = (await Promise.all(sets.map(readMigrations))).flat();
	return asOwner(ownerUrl, async (client) => {
		const { rows } = await client.query<{ id: string; content_hash: string }>(
			"select set_name || '/' || file as id, content_hash from migrations",
		);
		const done = new Map(rows.map(({ id, content_hash }) => [id, content_hash]));
		const changed = all.find((one) => (done.get(`${one.set}/${one.file}`) ?? hashOf(one)) !== hashOf(one));
		if (changed !== undefined)
			throw new Error(
				`migration ${changed.set}/${changed.file} was changed after this database had it: add a new one instead (or begin anew; npm start -- --fresh)`,
			);
		const pending = all.filter(({ set, file }) => !done.has(`${set}/${file}`));
		for (const migration of pending)
			await (indexOf(migration) === undefined ? apply : buildIndex)(client, migration);
		return pending.map(({ set, file }) => `${set}/${file}`);
	});
}

/**
 * Makes the sets' tables in an empty database from each `schema.sql`, in the order of the sets. For the proof that
 * it says the same as the migrations; nothing that is to be migrated later is made so.
 */
export async function applySchemas(ownerUrl: string, sets: readonly MigrationSet[]): Promise<void> {
	const schemas = await Promise.all(sets.map(({ folder }) => readFile(join(folder, "schema.sql"), "utf8")));
	await asOwner(ownerUrl, async (client) => {
		for (const schema of schemas) await client.query(schema);
	});
}

/** Runs `work` as the owner while no other migrator does. Waiting for that has no part in `lock_timeout`, statements do. */
async function asOwner<T>(ownerUrl: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
	const client = new pg.Client({
		connectionString: ownerUrl,
		application_name: "lango-migrate",
		connectionTimeoutMillis: 10_000,
	});
	// A lost connection also fails the statement under way, which is where it is reported.
	client.on("error", () => undefined);
	await client.connect();
	try {
		await client.query("set client_min_messages = warning");
		await waitForTurn(client);
		await client.query(limits);
		await client.query(bookkeeping);
		return await work(client);
	} finally {
		await client.end();
	}
}

/** How long a statement of a migration takes and waits for a lock, at most: while it waits, others wait behind it. */
const limits = "set statement_timeout = '10min'; set lock_timeout = '5s'";

const turnMsMax = 30 * 60_000;

/**
 * Asks again and again: a statement that waits for the turn is one that an index being built concurrently would wait for. Throws when
 * another migrator has it for half an hour.
 */
async function waitForTurn(client: pg.Client): Promise<void> {
	const endAt = performance.now() + turnMsMax;
	while (performance.now() < endAt) {
		const { rows } = await client.query("select pg_try_advisory_lock(hashtext('lango-migrate')) as is_mine");
		if (rows[0]?.is_mine === true) return;
		await sleep(200);
	}
	throw new Error(
		"another migration of this database has been under way for half an hour: look for application_name lango-migrate in pg_stat_activity",
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

/** What tells a file from an edited one. */
const hashOf = ({ sql }: Migration) => createHash("sha256").update(sql).digest("hex");

async function apply(client: pg.Client, migration: Migration): Promise<void> {
	await client.query("begin");
	try {
		await note(client, migration);
		await client.query(migration.sql);
		await client.query("commit");
	} catch (error) {
		// When even this fails the connection is lost, and the server rolls back by itself.
		await client.query("rollback").catch(() => undefined);
		throw failed(migration, error);
	}
}

/** The index that a file builds and nothing else, undefined for every other file. */
function indexOf({ sql }: Migration): string | undefined {
	return indexAlone.exec(
		sql
			.replaceAll(/^--.*$/gm, "")
			.replaceAll(/\s+/g, " ")
			.trim(),
	)?.[1];
}

/**
 * Builds an index while others write, which takes as long as it takes, and waits for transactions that are older than itself; it holds up
 * nobody. What an interrupted one left is no index and is dropped first; one that was built and not noted is noted.
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
		await note(client, migration);
		await client.query(limits);
	} catch (error) {
		throw failed(migration, error);
	}
}

function note(client: pg.Client, migration: Migration): Promise<unknown> {
	const { set, number, file, breaking } = migration;
	return client.query(
		"insert into migrations (set_name, number, file, breaking, content_hash) values ($1, $2, $3, $4, $5)",
		[set, number, file, breaking, hashOf(migration)],
	);
}

const failed = ({ set, file }: Migration, cause: unknown) =>
	new Error(`migration ${set}/${file} failed: ${(cause as Error).message}`, { cause });

/** How a database stands against the sets this program was built with. */
export type MigrationState = {
	/** Files this program has and the database lacks: run the migrations first. */
	pending: string[];
	/** Breaking migrations the database has and this program does not know: this program is too old for it. */
	tooNew: string[];
};

/**
 * Compares the database with the migrations of the program's sets, as `readMigrations` answers them; reads one small table. In a
 * database never migrated all is pending.
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
