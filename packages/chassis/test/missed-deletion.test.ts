import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openBakery } from "./bakery.ts";

const bakery = setUp(
	() => openBakery(),
	({ close }) => close(),
);

/** The connection on which the process is notified of changes, once it is. */
const listening = "application_name = 'lango-bakery-listen' and datname = current_database()";
const countListening = async () =>
	(
		await bakery.db.query(
			`select 1 from pg_stat_activity where ${listening} and state = 'idle' and query like 'listen %'`,
		)
	).length;

test("a tenant that was deleted while the process was not notified loses its rows once it is again", async () => {
	const id = randomUUID();
	const { db } = bakery;
	await db.query(
		`insert into tenants (id, slug, name, status, time_zone, currency, locale, synced_at)
		 values ($1, $2, 'x', 'active', 'UTC', 'KES', 'en', now())`,
		[id, `t-${id}`],
	);
	const outlets = (text: string) => inTenant(db, id, (tx) => tx.query(text, [id]));
	await outlets(
		`insert into outlets (id, tenant_id, code, name, use_case, is_hq, status, settings, synced_at)
		 values (gen_random_uuid(), $1, 'W', 'Ward', 'services', false, 'active', '{}', now())`,
	);
	await expect.poll(countListening).toBe(1);
	await db.transaction(async (tx) => {
		await tx.query(`select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${listening}`);
		await tx.query("update tenants set status = 'deleted', deleted_at = now() where id = $1", [id]);
	});
	await expect.poll(() => outlets("select id from outlets where tenant_id = $1")).toEqual([]);
});
