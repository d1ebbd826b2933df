import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { listDueLanes } from "../src/dispatch/claim.store.ts";
import { expireAtRest } from "../src/dispatch/recover.ts";
import { failFor } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());

let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
const rows = <R extends Record<string, unknown>>(tenantId: string, text: string, values: unknown[] = []) =>
	inTenant(office.database.db, tenantId, (tx) => tx.query<R>(text, values));
const suspend = (tenantId: string) =>
	rows(tenantId, "update tenants set status = 'suspended' where id = current_setting('app.tenant_id')::uuid");

test("what a suspended tenant has queued waits, and ends when it expires", async () => {
	const tenant = office.tenant({});
	const soon = new Date(Date.now() + 60_000).toISOString();
	await office.send(tenant, greeting(addresses(1), { expires_at: soon }));
	await office.send(tenant, greeting(addresses(1)));
	await suspend(tenant.id);
	const due = await listDueLanes(office.database.db, {
		messageClass: "normal",
		limit: 1_000,
		now: new Date(),
	});
	expect(due.filter(({ tenantId }) => tenantId === tenant.id)).toEqual([]);
	office.clock.now = new Date(Date.now() + 120_000);
	await office.jobs.run("lanes.expire");
	office.clock.now = undefined;
	const found = await rows<{ status: string }>(
		tenant.id,
		"select status from message_deliveries order by status",
	);
	expect(found.map(({ status }) => status)).toEqual(["expired", "queued"]);
});

test("what expires in a resting lane ends, also behind a thousand deliveries that do not", async () => {
	const tenant = office.tenant({});
	const soon = new Date(Date.now() + 60_000).toISOString();
	await office.send(tenant, greeting(addresses(1)));
	await rows(
		tenant.id,
		`insert into message_deliveries (tenant_id, id, message_id, position, channel, class, address_key, address_masked, status,
		   due_at, expires_at, created_at)
		 select tenant_id, gen_random_uuid(), message_id, n, channel, class, decode(lpad(to_hex(n), 64, '0'), 'hex'), '', status,
		        due_at, expires_at, created_at
		   from message_deliveries, generate_series(1, 1000) n where tenant_id = $1
		 on conflict do nothing`,
		[tenant.id],
	);
	const { body } = await office.send(tenant, greeting(addresses(1), { expires_at: soon }));
	await suspend(tenant.id);
	const parts = { db: office.database.db, now: () => new Date(Date.now() + 120_000) };
	await expireAtRest(parts, AbortSignal.timeout(20_000));
	const expired = await rows(tenant.id, "select message_id from message_deliveries where status = 'expired'");
	expect(expired).toEqual([{ message_id: body.requestId }]);
});

test("a tenant whose expired deliveries cannot be ended does not stop the others, however many it has", async () => {
	const tenants = [office.tenant({}), office.tenant({})].toSorted((a, b) => (a.id < b.id ? -1 : 1));
	const [failing, other] = tenants.map(({ id }) => id) as [string, string];
	const expires_at = new Date(Date.now() + 60_000).toISOString();
	for (const tenant of tenants) {
		await office.send(tenant, greeting(addresses(501), { expires_at }));
		await suspend(tenant.id);
	}
	await failFor(office, failing, { table: "message_deliveries" });
	const parts = { db: office.database.db, now: () => new Date(Date.now() + 120_000) };
	await expect(expireAtRest(parts, AbortSignal.timeout(20_000))).rejects.toMatchObject({
		errors: [{ message: "failed for a test" }],
	});
	const statusesOf = (id: string) => rows(id, "select distinct status from message_deliveries");
	expect(await statusesOf(failing)).toEqual([{ status: "queued" }]);
	expect(await statusesOf(other)).toEqual([{ status: "expired" }]);
}, 60_000);
