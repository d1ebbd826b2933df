import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
	compareMigrations,
	type MigrationSet,
	migrate,
	openPool,
	type Pool,
	readMigrations,
} from "@lango/postgres";
import { besideOthers, createTestDatabase, type TestDatabase } from "@lango/testkit";
import { afterEach, beforeEach, expect, test } from "vitest";

let database: TestDatabase;
let owner: Pool;
let folder: string;

beforeEach(async () => {
	database = await createTestDatabase({ name: "postgres", sets: [] });
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 2 });
	folder = await mkdtemp(join(tmpdir(), "lango-migrations-"));
});
afterEach(async () => {
	await owner.close();
	await database.drop();
	await rm(folder, { recursive: true });
});

/** Writes a set of migrations from file names and contents. */
async function writeSet(files: Readonly<Record<string, string>>, name = "trial"): Promise<MigrationSet> {
	const set = { name, folder: join(folder, name) };
	await mkdir(join(set.folder, "migrations"), { recursive: true });
	for (const [file, text] of Object.entries(files))
		await writeFile(join(set.folder, "migrations", file), text);
	return set;
}
const tables = async (): Promise<string[]> =>
	(
		await owner.query<{ tablename: string }>(
			"select tablename from pg_tables where schemaname = 'public' and tablename <> 'migrations' order by 1",
		)
	).map(({ tablename }) => tablename);

const one = { "0001_one.sql": "-- breaking: no\ncreate table one ();" };
const two = { ...one, "0002_two.sql": "-- breaking: no\ncreate table two ();" };

test("pending files are applied once, in order", async () => {
	expect(await migrate(database.ownerUrl, [await writeSet(one)])).toEqual(["trial/0001_one.sql"]);
	expect(await migrate(database.ownerUrl, [await writeSet(two)])).toEqual(["trial/0002_two.sql"]);
	expect(await migrate(database.ownerUrl, [await writeSet(two)])).toEqual([]);
	expect(await tables()).toEqual(["one", "two"]);
});

test("a file that was changed after it was applied is refused by name, and nothing is applied", async () => {
	await migrate(database.ownerUrl, [await writeSet(one)]);
	const edited = await writeSet({ ...two, "0001_one.sql": "-- breaking: no\ncreate table other ();" });
	await expect(migrate(database.ownerUrl, [edited])).rejects.toThrow(/trial\/0001_one\.sql was changed/);
	expect(await tables()).toEqual(["one"]);
});

test("a database whose numbers belong to other files is refused with the remedy, and nothing is applied", async () => {
	await migrate(database.ownerUrl, [await writeSet(one)]);
	await rm(join(folder, "trial"), { recursive: true });
	const base = { "0001_base.sql": "-- breaking: no\ncreate table base ();" };
	await expect(migrate(database.ownerUrl, [await writeSet(base)])).rejects.toThrow(
		/created by another version \(it has trial\/0001_one\.sql and not trial\/0001_base\.sql\).*npm start -- --fresh/,
	);
	expect(await tables()).toEqual(["one"]);
});

test("sets are applied in their order and have separate numbers", async () => {
	const base = await writeSet(
		{ "0001_base.sql": "-- breaking: no\ncreate table base (id int primary key);" },
		"base",
	);
	const top = await writeSet(
		{ "0001_top.sql": "-- breaking: no\ncreate table top (id int references base);" },
		"top",
	);
	expect(await migrate(database.ownerUrl, [base, top])).toEqual(["base/0001_base.sql", "top/0001_top.sql"]);
});

test("of two concurrent migrators one applies the files and the other finds nothing pending", async () => {
	const slow = {
		"0001_slow.sql": "-- breaking: no\ncreate table slow (); select pg_sleep(0.3);",
		"0002_next.sql": "-- breaking: no\ncreate table next ();",
	};
	const set = await writeSet(slow);
	const applied = await Promise.all([migrate(database.ownerUrl, [set]), migrate(database.ownerUrl, [set])]);
	expect(applied.map((files) => files.length).sort()).toEqual([0, 2]);
	expect(await tables()).toEqual(["next", "slow"]);
});

test("a failing file is rolled back completely and named; earlier files stay applied", async () => {
	const set = await writeSet({
		...one,
		"0002_two.sql": "-- breaking: no\ncreate table half (); select 1 / 0;",
	});
	await expect(migrate(database.ownerUrl, [set])).rejects.toThrow(
		"migration trial/0002_two.sql failed: division by zero",
	);
	expect(await tables()).toEqual(["one"]);
	expect(await compareMigrations(database.db, await readMigrations(set))).toEqual({
		pending: ["trial/0002_two.sql"],
		tooNew: [],
	});

	expect(await migrate(database.ownerUrl, [await writeSet(two)])).toEqual(["trial/0002_two.sql"]);
});

test("a lock on a table is waited for only until the lock timeout", async () => {
	await migrate(database.ownerUrl, [await writeSet(one)]);
	const set = await writeSet({
		...one,
		"0002_two.sql": "-- breaking: no\nalter table one add column late int;",
	});
	await owner.transaction(async (tx) => {
		await tx.query("lock table one in access share mode");
		await expect(migrate(database.ownerUrl, [set])).rejects.toThrow(/0002_two.sql failed: .*lock timeout/);
	});
	expect(await migrate(database.ownerUrl, [set])).toEqual(["trial/0002_two.sql"]);
});

const indexed = {
	"0001_one.sql": "-- breaking: no\ncreate table one (id int);",
	"0002_one_by_id.sql": "-- breaking: no\n-- found by id\ncreate index concurrently one__id\n  on one (id);",
};
const validity = () =>
	owner.query("select indisvalid from pg_index where indexrelid = to_regclass('one__id')");

test("an index in a file of its own is built without blocking writes, and waits for earlier writers", async () => {
	const { "0001_one.sql": table } = indexed;
	await migrate(database.ownerUrl, [await writeSet({ "0001_one.sql": table })]);
	const set = await writeSet(indexed);
	let building: Promise<string[]> | undefined;
	await owner.transaction(
		besideOthers(async (tx) => {
			await tx.query("insert into one values (1)");
			building = migrate(database.ownerUrl, [set]);
			await expect.poll(async () => (await validity()).length).toBe(1);
			await owner.query("insert into one values (2)");
		}),
	);
	expect(await building).toEqual(["trial/0002_one_by_id.sql"]);
	expect(await validity()).toEqual([{ indisvalid: true }]);
	expect(await migrate(database.ownerUrl, [set])).toEqual([]);
});

test("of two concurrent migrators one builds the index, and does not wait for the other", async () => {
	const { "0001_one.sql": table } = indexed;
	await migrate(database.ownerUrl, [await writeSet({ "0001_one.sql": table })]);
	const set = await writeSet(indexed);
	const applied = await Promise.all([migrate(database.ownerUrl, [set]), migrate(database.ownerUrl, [set])]);
	expect(applied.flat()).toEqual(["trial/0002_one_by_id.sql"]);
});

test("an interrupted index build is started again, and a complete but unrecorded index is recorded", async () => {
	const set = await writeSet(indexed);
	await migrate(database.ownerUrl, [set]);
	const forget = "delete from migrations where number = 2";
	await owner.query(forget);
	expect(await migrate(database.ownerUrl, [set])).toEqual(["trial/0002_one_by_id.sql"]);
	await owner.query(forget);
	await owner.query("drop index one__id");
	await owner.query("insert into one values (1), (1)");
	await expect(owner.query("create unique index concurrently one__id on one (id)")).rejects.toThrow(
		/could not create unique index/,
	);
	expect(await validity()).toEqual([{ indisvalid: false }]);
	expect(await migrate(database.ownerUrl, [set])).toEqual(["trial/0002_one_by_id.sql"]);
	expect(await validity()).toEqual([{ indisvalid: true }]);
});

test("a connection lost during a file rolls it back and is reported", async () => {
	const set = await writeSet({
		"0001_one.sql": "-- breaking: no\ncreate table one (); select pg_terminate_backend(pg_backend_pid());",
	});
	await expect(migrate(database.ownerUrl, [set])).rejects.toThrow(/0001_one.sql failed/);
	expect(await tables()).toEqual([]);
	expect(await migrate(database.ownerUrl, [await writeSet(one)])).toEqual(["trial/0001_one.sql"]);
});

test.each([
	[
		"a name without its number",
		{ "one.sql": "-- breaking: no\n" },
		/trial\/one.sql: migrations are numbered/,
	],
	["capitals", { "0001_One.sql": "-- breaking: no\n" }, /trial\/0001_One.sql: migrations are numbered/],
	["a hyphen for the underscore", { "0001-one.sql": "-- breaking: no\n" }, /numbered 0001, 0002/],
	[
		"a gap",
		{ ...one, "0003_three.sql": "-- breaking: no\n" },
		/trial\/0003_three.sql: migrations are numbered/,
	],
	["a number given twice", { ...one, "0001_other.sql": "-- breaking: no\n" }, /numbered 0001, 0002/],
	[
		"a missing first line",
		{ "0001_one.sql": "create table one ();" },
		/trial\/0001_one.sql: the first line must be/,
	],
	["a breaking file without its reason", { "0001_one.sql": "-- breaking: yes\n" }, /the first line must be/],
])("%s is refused before anything is applied", async (_, files, message) => {
	const set = await writeSet(files);
	await expect(migrate(database.ownerUrl, [set])).rejects.toThrow(message);
	expect(await tables()).toEqual([]);
});

test("a database reports missing migrations; a newer database is accepted unless it has breaking migrations", async () => {
	const ahead = await writeSet({
		...two,
		"0003_three.sql": "-- breaking: yes, because two is gone\ndrop table two;",
	});
	const all = ["trial/0001_one.sql", "trial/0002_two.sql", "trial/0003_three.sql"];
	expect(await compareMigrations(database.db, await readMigrations(ahead))).toEqual({
		pending: all,
		tooNew: [],
	});
	await migrate(database.ownerUrl, [ahead]);
	expect(await compareMigrations(database.db, await readMigrations(ahead))).toEqual({
		pending: [],
		tooNew: [],
	});

	await rm(join(folder, "trial", "migrations", "0003_three.sql"));
	expect(await compareMigrations(database.db, await readMigrations(ahead))).toEqual({
		pending: [],
		tooNew: ["trial/0003_three.sql"],
	});
	await rm(join(folder, "trial", "migrations", "0002_two.sql"));
	expect(await compareMigrations(database.db, await readMigrations(ahead))).toEqual({
		pending: [],
		tooNew: ["trial/0003_three.sql"],
	});
});

test("in a database that was never migrated every file is pending", async () => {
	await owner.query("drop table migrations");
	expect(await compareMigrations(database.db, await readMigrations(await writeSet(one)))).toEqual({
		pending: ["trial/0001_one.sql"],
		tooNew: [],
	});
});

test("a service's role can read the table of migrations and cannot change it", async () => {
	await migrate(database.ownerUrl, [await writeSet(one)]);
	await expect(database.db.query("delete from migrations")).rejects.toThrow(/permission denied/);
	await expect(database.db.query("create table mine ()")).rejects.toThrow(/permission denied/);
});
