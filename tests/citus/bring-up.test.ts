import { randomUUID } from "node:crypto";
import { inTenant, withAdmin } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { bringUp } from "../../deploy/citus/bring-up.ts";
import { ordering } from "../../services/ordering/src/service.ts";
import { createClusterDatabase, nodes, replacePlatformDatabase } from "./cluster.ts";

const database = setUp(
	() => createClusterDatabase(ordering, 1),
	(created) => created.drop(),
);
const bringUpAgain = () =>
	bringUp(nodes(1), { ...ordering, urls: { owner: database.ownerUrl, app: database.url } });
/** On the coordinator, as its administrator. */
const administer = async (statement: string) => {
	const at = new URL(nodes(1).coordinatorUrl);
	at.pathname = new URL(database.url).pathname;
	return (await withAdmin(at.toString(), (admin) => admin.query(statement))).rows;
};
const planMode = async () => (await administer("show plan_cache_mode"))[0];
const writeDay = (tenantId: string) =>
	inTenant(database.db, tenantId, async (tx) => {
		await tx.query(
			`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
			 values ($1, $2, 'T', 'active', 'UTC', 'KES', 'en', now())`,
			[tenantId, tenantId],
		);
		await tx.query("insert into order_days (tenant_id, ordered_on, orders) values ($1, '2026-11-28', 1)", [
			tenantId,
		]);
	});
const tenantsSeenBy = async (tenantId: string) =>
	(
		await inTenant(database.db, tenantId, (tx) =>
			tx.query<{ tenant_id: string }>("select tenant_id from order_days"),
		)
	).map(({ tenant_id }) => tenant_id);

test("a second run merges a restrictive policy that was created since, and sets the plan mode again", async () => {
	const [one, other] = [randomUUID(), randomUUID()];
	for (const tenant of [one, other]) await writeDay(tenant);
	const { pathname } = new URL(database.url);
	await administer(`alter database ${pathname.slice(1)} reset plan_cache_mode`);
	await administer(
		"create policy order_days__late on order_days as restrictive to lango_app using (orders < 2)",
	);
	expect((await tenantsSeenBy(one)).toSorted(), "Citus: restrictive is permissive on the nodes").toEqual(
		[one, other].toSorted(),
	);
	await bringUpAgain();
	expect(await tenantsSeenBy(one)).toEqual([one]);
	expect(await planMode()).toEqual({ plan_cache_mode: "force_custom_plan" });
	await expect(
		inTenant(database.db, one, (tx) => tx.query("update order_days set orders = 2")),
		"the condition holds",
	).rejects.toThrow(/row-level security/);
});

test("a second run distributes a table that was added since", async () => {
	await administer(
		`create table order_notes (tenant_id uuid not null, id uuid not null, constraint order_notes__pkey primary key (tenant_id, id))`,
	);
	await bringUpAgain();
	expect(
		await administer("select citus_table_type from citus_tables where table_name = 'order_notes'::regclass"),
	).toEqual([{ citus_table_type: "distributed" }]);
});

test("a restrictive policy of another form is refused by its table and name, and nothing is changed", async () => {
	const { pathname } = new URL(database.url);
	await administer(`alter database ${pathname.slice(1)} reset plan_cache_mode`);
	await administer(
		"create policy customers__odd on customers as restrictive for select to lango_app using (false)",
	);
	await expect(bringUpAgain()).rejects.toThrow(
		"customers: the restrictive policy customers__odd cannot be merged, because it is for one command",
	);
	expect(await planMode()).toEqual({ plan_cache_mode: "auto" });
	await administer("drop policy customers__odd on customers");
	await bringUpAgain();
	expect(await planMode()).toEqual({ plan_cache_mode: "force_custom_plan" });
});

test("a database that these tests did not create is not replaced", async () => {
	const name = "lango_citus_not_ours";
	const { coordinatorUrl } = nodes(1);
	await withAdmin(coordinatorUrl, (admin) => admin.query(`create database ${name}`));
	try {
		await expect(replacePlatformDatabase({ ...ordering, name })).rejects.toThrow(
			`The cluster has a database ${name} that these tests did not create.`,
		);
		const kept = await withAdmin(coordinatorUrl, (admin) =>
			admin.query("select from pg_database where datname = $1", [name]),
		);
		expect(kept.rowCount).toBe(1);
	} finally {
		await withAdmin(coordinatorUrl, (admin) => admin.query(`drop database ${name}`));
	}
});
