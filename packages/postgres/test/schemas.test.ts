import {
	type Database,
	describeSchema,
	listUnboundTables,
	listUnguardedTables,
	openPool,
	type Pool,
} from "@lango/postgres";
import { compareSchemas, createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterAll, beforeAll, expect, test } from "vitest";
import { notes } from "./notes.ts";

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
let owner: Pool;

beforeAll(async () => {
	owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
});
afterAll(() => owner.close());

const undo = new Error("undo");

/** Runs `work` in a transaction and rolls it back. */
async function tried(work: (tx: Database) => Promise<void>): Promise<void> {
	const undone = owner.transaction(async (tx) => {
		await work(tx);
		throw undo;
	});
	await expect(undone).rejects.toBe(undo);
}

test("schema.sql equals the migrations", async () => {
	const { fromMigrations, fromSchema } = await compareSchemas("postgres", [notes]);
	expect(fromMigrations.length).toBeGreaterThan(15);
	expect(fromSchema).toEqual(fromMigrations);
});

test.each([
	["default", "alter table notes alter column weight set default 1"],
	["type", "alter table notes alter column weight type integer"],
	["null", "alter table notes alter column body drop not null"],
	["column", "alter table notes add column more text"],
	["constraint", "alter table notes drop constraint notes__body_unique"],
	["check", "alter table notes add constraint notes__short check (length(body) < 9)"],
	["index", "create index notes__weight on notes (weight)"],
	["policy", "alter policy notes__tenant on notes using (true)"],
	["policy's roles", "alter policy notes__platform on notes to lango_lookup"],
	[
		"restrictive policy",
		"drop policy notes__platform on notes;; create policy notes__platform on notes as restrictive for select to lango_platform using (true)",
	],
	["row-level security", "alter table notes no force row level security"],
	["grant", "revoke delete on notes from lango_app"],
	["grant on a column", "grant update (body) on notes to lango_platform"],
	["comment", "comment on table notes is 'x'"],
	["comment on a column", "comment on column notes.body is 'x'"],
	["function", "create function f() returns int language sql as 'select 1'"],
	[
		"trigger",
		"create trigger t before update on notes for each row execute function suppress_redundant_updates_trigger()",
	],
	["view", "create view v as select id from notes"],
	["enum", "create type mood as enum ('calm')"],
	["domain", "create domain slug as text check (value <> '')"],
	["table", "create table more ()"],
	["table named like that of the migrations", "create table migrations_more ()"],
])("a changed %s is seen", async (_, statements) => {
	const before = await describeSchema(owner);
	let changed: string[] = [];
	await tried(async (tx) => {
		for (const statement of statements.split(";; ")) await tx.query(statement);
		changed = await describeSchema(tx);
	});
	expect(changed).not.toEqual(before);
	expect(await describeSchema(owner)).toEqual(before);
});

test.each([
	["a function's owner", "alter function f() owner to lango_lookup"],
	["a function's grant", "revoke execute on function f() from public"],
	["a function's comment", "comment on function f() is 'x'"],
	["a function's body", "create or replace function f() returns int language sql as 'select 2'"],
])("%s is seen", async (_, statement) => {
	await tried(async (tx) => {
		await tx.query("create function f() returns int language sql as 'select 1'");
		const before = await describeSchema(tx);
		await tx.query(statement);
		expect(await describeSchema(tx)).not.toEqual(before);
	});
});

const guarded = "tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid";
const table = "create table t (tenant_id uuid)";
const enabled = `${table}; alter table t enable row level security; alter table t force row level security`;

test.each([
	[
		"has row-level security, forced, with a policy on the tenant",
		`${enabled}; create policy p on t using (${guarded})`,
		[],
	],
	[
		"has one for the platform's reader besides",
		`${enabled}; create policy p on t using (${guarded}); create policy q on t to lango_platform using (true)`,
		[],
	],
	["has no tenant", "create table t ()", []],
	["has no row-level security", table, ["t"]],
	["has no policy", enabled, ["t"]],
	[
		"does not force it on its owner",
		`${table}; alter table t enable row level security; create policy p on t using (${guarded})`,
		["t"],
	],
	["has a policy on something else", `${enabled}; create policy p on t using (true)`, ["t"]],
	[
		"has a second policy past the first",
		`${enabled}; create policy p on t using (${guarded}); create policy q on t using (true)`,
		["t"],
	],
	[
		"lets the services insert anything",
		`${enabled}; create policy p on t using (${guarded}); create policy q on t for insert to lango_app with check (true)`,
		["t"],
	],
])("a table that %s is listed as %j", async (_, statements, unguarded) => {
	await tried(async (tx) => {
		for (const statement of statements.split("; ")) await tx.query(statement);
		expect(await listUnguardedTables(tx)).toEqual(unguarded);
	});
});

const atOutlets =
	"outlet_id is null or current_setting('app.outlet_ids', true) = '*' or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ','))";
const sold = enabled.replaceAll("(tenant_id uuid)", "(tenant_id uuid, outlet_id uuid)");

test.each([
	[
		"with the restrictive policy",
		`create policy q on t as restrictive to lango_app using (${atOutlets})`,
		[],
	],
	["without one", "select 1", ["t"]],
	["with a permissive one", `create policy q on t to lango_app using (${atOutlets})`, ["t"]],
	[
		"with one for reads",
		`create policy q on t as restrictive for select to lango_app using (${atOutlets})`,
		["t"],
	],
	[
		"with one that any insert passes",
		`create policy q on t as restrictive to lango_app using (${atOutlets}) with check (true)`,
		["t"],
	],
	[
		"with one of another condition",
		"create policy q on t as restrictive to lango_app using (outlet_id is null)",
		["t"],
	],
	[
		"with one for another role",
		`create policy q on t as restrictive to lango_lookup using (${atOutlets})`,
		["t"],
	],
])("a table with outlets %s is listed as %j", async (_, policy, unbound) => {
	await tried(async (tx) => {
		for (const statement of `${sold}; create policy p on t using (${guarded}); ${policy}`.split("; "))
			await tx.query(statement);
		expect(await listUnboundTables(tx)).toEqual(unbound);
	});
});
