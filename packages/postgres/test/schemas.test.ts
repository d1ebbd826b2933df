import { type Database, listUnboundTables, listUnguardedTables, openPool, type Pool } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
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
