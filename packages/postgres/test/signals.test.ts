import { inTenant, openPool, type Pool } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeEach, expect, test } from "vitest";
import { notes } from "./notes.ts";

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
const tenantId = "0197a000-0000-7000-8000-0000000000aa";
let db: Pool;
let had: string[];

beforeEach(() => {
	db = openPool({ url: database.url, name: "signals", sizeMax: 2 });
	had = [];
	for (const name of ["rows", "others"]) db.onSignal(name, () => had.push(name));
});
afterEach(() => db.close());

const insert = "insert into counters (name) values ($1)";

test("a signal is sent once, after the commit, when its rows are visible", async () => {
	const seen: Promise<number>[] = [];
	db.onSignal("rows", () => {
		seen.push(
			database.db.query("select from counters where name = 'signalled'").then(({ length }) => length),
		);
	});
	await db.transaction(async (tx) => {
		await tx.query(insert, ["signalled"]);
		tx.signal("rows");
		await tx.transaction(async (inner) => inner.signal("rows"));
		expect(had).toEqual([]);
	});
	expect(had).toEqual(["rows"]);
	expect(await Promise.all(seen)).toEqual([1]);
});

test("a transaction of a tenant signals too", async () => {
	await inTenant(db, tenantId, async (tx) => tx.signal("rows"));
	await db.transaction((tx) => inTenant(tx, tenantId, async (inner) => inner.signal("others")));
	expect(had).toEqual(["rows", "others"]);
});

test("a transaction that is rolled back signals nothing", async () => {
	const broken = db.transaction(async (tx) => {
		tx.signal("rows");
		throw new Error("changed its mind");
	});
	await expect(broken).rejects.toThrow("changed its mind");
	const ignored = db.transaction(async (tx) => {
		tx.signal("rows");
		await tx.query("select from no_such_table").catch(() => undefined);
	});
	await expect(ignored).rejects.toThrow("rolled back");
	const refused = db.transaction(async (tx) => {
		await tx.queryBeforeCommit("insert into no_such_table values (1)");
		tx.signal("rows");
	});
	await expect(refused).rejects.toThrow("no_such_table");
	expect(had).toEqual([]);
});

test("outside of a transaction a signal is sent at once, from every lane of the pool and to no other pool", () => {
	db.signal("rows");
	db.lane("check").signal("others");
	db.signal("unknown");
	database.db.signal("rows");
	expect(had).toEqual(["rows", "others"]);
});

test("what was removed receives no more signals, and the others do", () => {
	const remove = db.onSignal("rows", () => had.push("removed"));
	remove();
	db.signal("rows");
	expect(had).toEqual(["rows"]);
});
