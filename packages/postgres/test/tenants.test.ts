import { acrossTenants, currentTenant, type Database, inTenant, openPool } from "@lango/postgres";
import { createTestDatabase } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { kahawa, notes, uhai } from "./notes.ts";

const database = setUp(
	() => createTestDatabase({ name: "postgres", sets: [notes] }),
	({ drop }) => drop(),
);
let db: Database;

beforeAll(async () => {
	db = database.db;
});

const write = (on: Database, tenantId: string, body: string) =>
	on.query("insert into notes (tenant_id, body) values ($1, $2)", [tenantId, body]);
const read = async (on: Database): Promise<string[]> =>
	(await on.query<{ body: string }>("select body from notes order by body")).map(({ body }) => body);

beforeEach(async () => {
	for (const tenant of [uhai, kahawa]) {
		await inTenant(db, tenant, async (tx) => {
			await tx.query("delete from notes");
			await write(tx, tenant, tenant === uhai ? "ward round" : "beans");
		});
	}
});

test("a tenant sees its own rows only", async () => {
	expect(await inTenant(db, uhai, read)).toEqual(["ward round"]);
	expect(await inTenant(db, kahawa, read)).toEqual(["beans"]);
});

test("without a tenant no rows are visible", async () => {
	expect(await read(db)).toEqual([]);
	expect(await db.transaction(read)).toEqual([]);
});

test("without a tenant nothing can be written", async () => {
	await expect(write(db, uhai, "from nowhere")).rejects.toThrow(/row-level security/);
	expect(await db.query("update notes set body = 'x' returning id")).toEqual([]);
	expect(await db.query("delete from notes returning id")).toEqual([]);
	expect(await inTenant(db, uhai, read)).toEqual(["ward round"]);
});

test("a tenant cannot insert, change or delete rows of another one", async () => {
	await expect(inTenant(db, uhai, (tx) => write(tx, kahawa, "planted"))).rejects.toThrow(
		/row-level security/,
	);
	await expect(
		inTenant(db, uhai, (tx) => tx.query("update notes set tenant_id = $1", [kahawa])),
	).rejects.toThrow(/row-level security/);
	expect(
		await inTenant(db, uhai, (tx) => tx.query("delete from notes where body = 'beans' returning id")),
	).toEqual([]);
	expect(await inTenant(db, kahawa, read)).toEqual(["beans"]);
});

test("the tenant setting ends with its transaction, committed or not", async () => {
	await inTenant(db, uhai, read);
	expect(await read(db)).toEqual([]);
	await expect(inTenant(db, uhai, () => Promise.reject(new Error("stop")))).rejects.toThrow("stop");
	expect(await read(db)).toEqual([]);
});

test("the same tenant inside itself joins the transaction, in any letter case", async () => {
	const failed = inTenant(db, uhai, async (outer) => {
		await write(outer, uhai, "outer");
		await inTenant(outer, uhai.toUpperCase(), (inner) => write(inner, uhai, "inner"));
		expect(await read(outer)).toEqual(["inner", "outer", "ward round"]);
		throw new Error("undo both");
	});
	await expect(failed).rejects.toThrow("undo both");
	expect(await inTenant(db, uhai, read)).toEqual(["ward round"]);
});

test("a transaction knows its tenant, also one that got it later, and throws without one", async () => {
	expect(await inTenant(db, uhai.toUpperCase(), async (tx) => currentTenant(tx))).toBe(uhai);
	const later = db.transaction(async (tx) => {
		expect(() => currentTenant(tx)).toThrow("the transaction has no tenant");
		return inTenant(tx, uhai, async () => currentTenant(tx));
	});
	expect(await later).toBe(uhai);
	expect(() => currentTenant(db)).toThrow("the transaction has no tenant");
	await expect(acrossTenants(db, async (tx) => currentTenant(tx))).rejects.toThrow("has no tenant");
});

test("another tenant inside a tenant is refused, and everything is rolled back", async () => {
	const nested = inTenant(db, uhai, async (outer) => {
		await write(outer, uhai, "outer");
		return inTenant(outer, kahawa, read);
	});
	await expect(nested).rejects.toThrow(/cannot change to tenant/);
	expect(await inTenant(db, uhai, read)).toEqual(["ward round"]);
});

test("a transaction without a tenant accepts one and keeps it until its end", async () => {
	await db.transaction(async (tx) => {
		expect(await read(tx)).toEqual([]);
		expect(await inTenant(tx, uhai, read)).toEqual(["ward round"]);
		expect(await read(tx)).toEqual(["ward round"]);
		await expect(inTenant(tx, kahawa, read)).rejects.toThrow(/cannot change to tenant/);
	});
});

test("two concurrent tenants in one transaction are refused even if neither is awaited first", async () => {
	const both = db.transaction((tx) => Promise.all([inTenant(tx, uhai, read), inTenant(tx, kahawa, read)]));
	await expect(both).rejects.toThrow(/cannot change to tenant/);
});

test.each(["", "uhai", "'; drop table notes; --", `${uhai}'`, ` ${uhai}`])(
	"%j is refused as a tenant id",
	async (id) => {
		await expect(inTenant(db, id, read)).rejects.toThrow("inTenant: the tenant id must be a UUID");
	},
);

test("the platform owner's reader sees all tenants", async () => {
	expect(await acrossTenants(db, read)).toEqual(["beans", "ward round"]);
});

test("the platform owner's reader cannot write", async () => {
	await expect(acrossTenants(db, (tx) => write(tx, uhai, "x"))).rejects.toThrow(
		/permission denied|read-only/,
	);
	await expect(acrossTenants(db, (tx) => tx.query("update notes set body = 'x'"))).rejects.toThrow(
		/permission denied|read-only/,
	);
	await expect(acrossTenants(db, (tx) => tx.query("delete from notes"))).rejects.toThrow(
		/permission denied|read-only/,
	);
	await expect(acrossTenants(db, (tx) => tx.query("create temporary table t ()"))).rejects.toThrow(
		/permission denied|read-only/,
	);
	expect(await acrossTenants(db, read)).toEqual(["beans", "ward round"]);
});

test("the reader's scope does not affect the next statement of the connection, nor do its plans", async () => {
	const single = openPool({ url: database.url, name: "single", sizeMax: 1 });
	try {
		for (let round = 0; round < 8; round += 1) {
			expect(await acrossTenants(single, read)).toEqual(["beans", "ward round"]);
			expect(await read(single)).toEqual([]);
			expect(await inTenant(single, uhai, read)).toEqual(["ward round"]);
			await expect(acrossTenants(single, () => Promise.reject(new Error("stop")))).rejects.toThrow("stop");
			expect(await read(single)).toEqual([]);
		}
	} finally {
		await single.close();
	}
});

test("the platform owner's reader is refused inside an open transaction, and a tenant inside the reader's", async () => {
	await expect(inTenant(db, uhai, (tx) => acrossTenants(tx, read))).rejects.toThrow(
		/cannot change to all tenants/,
	);
	await expect(db.transaction((tx) => acrossTenants(tx, read))).rejects.toThrow(/transaction of its own/);
	await expect(acrossTenants(db, (tx) => inTenant(tx, uhai, read))).rejects.toThrow(
		/cannot change to tenant/,
	);
});

test("a service's role has the reader's rights only after SET ROLE", async () => {
	const [role] = await db.query(`
		select rolsuper, rolbypassrls, rolcreaterole, rolcreatedb,
		       pg_has_role(current_user, 'lango_app', 'usage') as has_app,
		       pg_has_role(current_user, 'lango_platform', 'usage') as has_platform,
		       pg_has_role(current_user, 'lango_lookup', 'member') as may_be_lookup
		  from pg_roles where rolname = current_user`);
	expect(role).toEqual({
		rolsuper: false,
		rolbypassrls: false,
		rolcreaterole: false,
		rolcreatedb: false,
		has_app: true,
		has_platform: false,
		may_be_lookup: false,
	});
});

test("even the owner of a table sees none of its rows without a tenant", async () => {
	const owner = openPool({ url: database.ownerUrl, name: "owner", sizeMax: 1 });
	try {
		expect(await read(owner)).toEqual([]);
	} finally {
		await owner.close();
	}
});
