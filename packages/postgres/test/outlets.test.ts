import {
	acrossTenants,
	type Database,
	inTenant,
	openPool,
	withinOutlets,
	withOutletScope,
} from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { kahawa, notes, uhai } from "./notes.ts";

const [main, side, far] = [1, 2, 3].map((n) => `00000000-0000-4000-8000-00000000000${n}`) as [
	string,
	string,
	string,
];
const table = `
	create table sales (tenant_id uuid not null, outlet_id uuid, what text not null);
	create index sales__outlet on sales (tenant_id, outlet_id, what);
	alter table sales enable row level security;
	alter table sales force row level security;
	create policy sales__tenant on sales using (tenant_id = nullif(current_setting('app.tenant_id', true), '')::uuid);
	create policy sales__platform on sales for select to lango_platform using (true);
	create policy sales__outlets on sales as restrictive to lango_app using (
	  outlet_id is null or current_setting('app.outlet_ids', true) = '*'
	  or outlet_id::text = any(string_to_array(current_setting('app.outlet_ids', true), ',')));
	grant select, insert, update, delete on sales to lango_app;
	grant select on sales to lango_platform`;

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
let db: Database;
beforeAll(async () => {
	db = database.db;
	const owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	for (const statement of table.split(";")) if (statement.trim() !== "") await owner.query(statement);
	await owner.close();
	await inTenant(db, uhai, async (tx) => {
		for (const [outlet, what] of [
			[main, "main"],
			[side, "side"],
			[null, "none"],
		])
			await tx.query("insert into sales values ($1, $2, $3)", [uhai, outlet, what]);
	});
	await inTenant(db, kahawa, (tx) => tx.query("insert into sales values ($1, null, 'theirs')", [kahawa]));
});

const read = async (tx: Database) =>
	(await tx.query<{ what: string }>("select what from sales order by what")).map(({ what }) => what);

test.each([
	["of all outlets sees every row", "all", ["main", "none", "side"]],
	["of one outlet sees its rows and those of none", [main], ["main", "none"]],
	["of two outlets sees the rows of both", [main, side.toUpperCase()], ["main", "none", "side"]],
	["of another outlet sees the rows of none", [far], ["none"]],
	["of no outlet sees the rows of none", [], ["none"]],
] as const)("a statement without a filter in a scope %s", async (_, scope, seen) => {
	expect(await withOutletScope(scope, () => inTenant(db, uhai, read))).toEqual(seen);
});

test("a scope refuses to insert, change and delete rows of another outlet", async () => {
	const at = (work: (tx: Database) => Promise<unknown>) =>
		withOutletScope([main], () => inTenant(db, uhai, work));
	const rowSecurity = /row-level security/;
	await expect(at((tx) => tx.query("insert into sales values ($1, $2, 'x')", [uhai, side]))).rejects.toThrow(
		rowSecurity,
	);
	await expect(at((tx) => tx.query("update sales set outlet_id = $1", [side]))).rejects.toThrow(rowSecurity);
	expect(
		await at((tx) => tx.query("update sales set what = 'x' where what = 'side' returning what")),
	).toEqual([]);
	expect(await at((tx) => tx.query("delete from sales where what = 'side' returning what"))).toEqual([]);
	expect(await inTenant(db, uhai, read)).toEqual(["main", "none", "side"]);
});

test("a transaction without a setting accesses only rows without an outlet", async () => {
	const seen = db.transaction(async (tx) => {
		await tx.query("select set_config('app.tenant_id', $1, true)", [uhai]);
		return read(tx);
	});
	expect(await seen).toEqual(["none"]);
});

test("a scope ends with its transaction and does not affect the next one on the connection", async () => {
	await withOutletScope([main], () => inTenant(db, uhai, read));
	expect(await inTenant(db, uhai, read)).toEqual(["main", "none", "side"]);
});

test("an open transaction cannot change its outlet scope", async () => {
	const widened = withOutletScope([main], () =>
		inTenant(db, uhai, (tx) => withOutletScope("all", () => inTenant(tx, uhai, read))),
	);
	await expect(widened).rejects.toThrow(/cannot change to tenant/);
});

test("the platform's reader sees the rows of every outlet and tenant", async () => {
	expect(await withOutletScope([], () => acrossTenants(db, read))).toEqual([
		"main",
		"none",
		"side",
		"theirs",
	]);
});

test.each(["*", "'", `${main},*`, "x"])("%j is refused as an outlet of a scope", (id) => {
	expect(() => withOutletScope([id], () => 1)).toThrow("the outlet ids of a scope must be UUIDs");
});

test.each([
	["null: every row", null, ["main", "none", "side"]],
	["one outlet: its rows", [main], ["main"]],
	["two outlets: the rows of both", [main, side], ["main", "side"]],
	["one outlet and null: its rows and those of none", [main, null], ["main", "none"]],
	["null alone: the rows of none", [null], ["none"]],
	["nothing: no row", [], []],
] as const)("a filter of %s", async (_, filter, seen) => {
	const filtered = (tx: Database) =>
		tx.query<{ what: string }>(
			`select what from sales where ${withinOutlets("outlet_id", "$1")} order by what`,
			[filter],
		);
	const rows = await inTenant(db, uhai, filtered);
	expect(rows.map(({ what }) => what)).toEqual(seen);
});

test("the filter of one outlet is an equality for the planner, so that an index yields its rows in order", async () => {
	const plan = await inTenant(db, uhai, async (tx) => {
		await tx.query("set local enable_seqscan = off");
		return tx.query<{ "QUERY PLAN": string }>(
			`explain select what from sales where ${withinOutlets("outlet_id", "$1")} order by what limit 5`,
			[[main]],
		);
	});
	const text = plan.map((row) => row["QUERY PLAN"]).join("\n");
	expect(text).toContain(`outlet_id = '${main}'::uuid`);
	expect(text).not.toContain("Sort");
});
