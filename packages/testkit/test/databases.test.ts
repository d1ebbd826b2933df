import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type MigrationSet, openPool } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { afterAll, afterEach, beforeEach, expect, test } from "vitest";

const adminUrl = process.env.TEST_DATABASE_URL ?? "";
const admin = openPool({ url: adminUrl, name: "admin", sizeMax: 1 });
/** A unique name, because other runs may use the same server. */
const name = `try_${randomBytes(4).toString("hex")}`.slice(0, 12);

let folder: string;
let set: MigrationSet;

const first =
	"create table notes (id integer not null, constraint notes__pkey primary key (id));\ngrant select, insert on notes to lango_app;\n";
const write = async (migration: string) => {
	await writeFile(join(folder, "migrations", "0001_notes.sql"), `-- breaking: no\n${migration}`);
};
const databases = async (like: string): Promise<string[]> =>
	(
		await admin.query<{ datname: string }>(
			"select datname from pg_database where datname like $1 order by 1",
			[like],
		)
	).map(({ datname }) => datname);

beforeEach(async () => {
	folder = await mkdtemp(join(tmpdir(), "lango-testkit-"));
	await mkdir(join(folder, "migrations"));
	set = { name: "notes", folder };
	await write(first);
});
afterEach(() => rm(folder, { recursive: true }));
afterAll(async () => {
	for (const each of await databases(`lango\\_test\\_${name}\\_%`))
		await admin.query(`drop database ${each} with (force)`);
	for (const role of ["app", "owner"]) await admin.query(`drop role ${name}_${role}`);
	await admin.close();
});

test("each test database has the tables, is independent of the others, and is dropped at the end", async () => {
	const [one, two] = await Promise.all([
		createTestDatabase({ name, sets: [set] }),
		createTestDatabase({ name, sets: [set] }),
	]);
	await one.db.query("insert into notes values (1)");
	expect(await one.db.query("select id from notes")).toEqual([{ id: 1 }]);
	expect(await two.db.query("select id from notes")).toEqual([]);
	const named = new URL(one.url).pathname.slice(1);
	expect(await databases(named)).toEqual([named]);
	await one.drop();
	await two.drop();
	expect(await databases(named)).toEqual([]);
});

test("the pool uses the role that owns no table, the owner's URL the one that owns the tables", async () => {
	const database = await createTestDatabase({ name, sets: [set] });
	expect(await database.db.query("select current_user::text as me")).toEqual([{ me: `${name}_app` }]);
	await expect(database.db.query("drop table notes")).rejects.toThrow(/must be owner/);
	const owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	await owner.query("drop table notes");
	await owner.close();
	await database.drop();
});

test("files with the same migrations share a template; a changed migration has a new one", async () => {
	const make = async () => (await createTestDatabase({ name, sets: [set] })).drop();
	await make();
	const before = await databases(`lango\\_test\\_${name}\\_%\\_template`);
	await Promise.all([make(), make()]);
	expect(await databases(`lango\\_test\\_${name}\\_%\\_template`)).toEqual(before);
	await write(`${first}create table more ();\n`);
	await make();
	expect((await databases(`lango\\_test\\_${name}\\_%\\_template`)).length).toBe(before.length + 1);
});

test("failed migrations leave no template, and an incomplete one of a killed run is dropped", async () => {
	await admin.query(`create database lango_test_${name}_00000000_template`);
	await write(`${first}select 1 / 0;\n`);
	await expect(createTestDatabase({ name, sets: [set] })).rejects.toThrow(
		/0001_notes.sql failed: division by zero/,
	);
	await expect(createTestDatabase({ name, sets: [set] })).rejects.toThrow(
		/0001_notes.sql failed: division by zero/,
	);
	const unfinished = `select from pg_database where datname like 'lango\\_test\\_${name}\\_%\\_template' and datallowconn`;
	expect(await admin.query(unfinished)).toEqual([]);
});

test("old databases of crashed runs are dropped if they have no connections, and no others are", async () => {
	await (await createTestDatabase({ name, sets: [set] })).drop();
	const minutesAgo = (minutes: number) =>
		Math.floor(Date.now() / 60_000 - minutes)
			.toString(36)
			.padStart(6, "0");
	const old = `lango_test_${name}_${minutesAgo(200)}_0000000a`;
	const used = `lango_test_${name}_${minutesAgo(200)}_0000000b`;
	const recent = `lango_test_${name}_${minutesAgo(100)}_0000000c`;
	const other = `lango_test_${name}_kept`;
	const url = new URL(adminUrl);
	url.pathname = `/${used}`;
	const user = openPool({ url: url.toString(), name: "user", sizeMax: 1 });
	// Another test file may drop the old database before the connection is open.
	const connect = async () => {
		if ((await databases(used)).length === 0) await admin.query(`create database ${used}`);
		return user.query("select 1 as one").catch(() => undefined);
	};
	await expect.poll(connect).toEqual([{ one: 1 }]);
	for (const each of [old, recent, other]) await admin.query(`create database ${each}`);
	await expect
		.poll(async () => {
			await (await createTestDatabase({ name, sets: [set] })).drop();
			return databases(old);
		})
		.toEqual([]);
	expect([...(await databases(used)), ...(await databases(recent)), ...(await databases(other))]).toEqual([
		used,
		recent,
		other,
	]);
	await user.close();
	for (const each of [used, recent, other]) await admin.query(`drop database ${each}`);
});
