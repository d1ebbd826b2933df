import { type PublicTenant, tenantDeleted } from "@lango/contracts";
import { acrossTenants, inTenant, openPool } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import type { Lane } from "../src/dispatch/claim.store.ts";
import { purge } from "../src/purge/purge.ts";
import { accepted, claimFrom, settleAs } from "./dispatch.ts";
import { greeting, openOffice } from "./office.ts";

const office = setUp(openOffice);

const dayMs = 24 * 3_600_000;
const after = (days: number) => new Date(Date.now() + days * dayMs);
const purgeAfter = (days: number) => purge(office.database.db, after(days));
let names = 0;
const addresses = (count: number) => Array.from({ length: count }, () => `person${++names}@uhai.example`);
const lane = (tenant: PublicTenant): Lane => ({
	...{ tenantId: tenant.id, channel: "email", messageClass: "normal" },
});
const rows = <R extends Record<string, unknown>>(tenant: PublicTenant, query: string) =>
	inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(query));
const kept = async (tenant: PublicTenant) => {
	const [row] = await rows<Record<"messages" | "data" | "deliveries" | "addresses" | "events", number>>(
		tenant,
		`select (select count(*)::int from messages) as messages, (select count(data)::int from messages) as data,
		        (select count(*)::int from message_deliveries) as deliveries,
		        (select count(address)::int from message_deliveries) as addresses,
		        (select count(*)::int from delivery_events) as events`,
	);
	return row;
};
const all = { messages: 1, data: 1, deliveries: 3, addresses: 3, events: 3 };
const sendAll = async (tenant: PublicTenant) => {
	const claimed = await claimFrom(office, lane(tenant));
	await settleAs(office, tenant.id, claimed.map(accepted));
};

test("data and addresses go 30 days after a message was due, and the rest of it after 90 days", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(3)));
	await sendAll(tenant);
	await purgeAfter(29.9);
	expect(await kept(tenant)).toEqual(all);
	await purgeAfter(30.1);
	expect(await kept(tenant)).toEqual({ ...all, data: 0, addresses: 0 });
	await purgeAfter(89.9);
	expect(await kept(tenant)).toEqual({ ...all, data: 0, addresses: 0 });
	await purgeAfter(90.1);
	expect(await kept(tenant)).toEqual({ messages: 0, data: 0, deliveries: 0, addresses: 0, events: 0 });
});

test("a message that is scheduled is kept until it was due as long ago", async () => {
	const tenant = office.tenant({});
	const sendAt = after(80).toISOString();
	expect((await office.send(tenant, greeting(addresses(1), { send_at: sendAt }))).status).toBe(202);
	await purgeAfter(109);
	expect(await kept(tenant)).toMatchObject({ data: 1, addresses: 1 });
	await purgeAfter(111);
	expect(await kept(tenant)).toMatchObject({ messages: 1, data: 0, addresses: 0 });
	await purgeAfter(171);
	expect(await kept(tenant)).toMatchObject({ messages: 0, deliveries: 0 });
});

test("a delivery that nothing claims any more expires before its address goes", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(2)));
	await purgeAfter(31);
	expect(await kept(tenant)).toMatchObject({ data: 0, addresses: 0 });
	expect(await rows(tenant, "select distinct status from message_deliveries")).toEqual([
		{ status: "expired" },
	]);
	expect(await rows(tenant, "select pending from messages")).toEqual([{ pending: 0 }]);
});

test("a secret goes when nothing of its message is left to send, and not before", async () => {
	const tenant = office.tenant({});
	const { status } = await office.send(tenant, {
		...{ channel: "email", template: "isp/subscription_credentials", to: addresses(2) },
		data: {
			...{ customer_name: "Brian", username: "b", password: "p-4821", package_name: "Home" },
			...{ package_type: "PPPoE", expiry_at: "2026-12-23T20:59:00Z" },
		},
	});
	expect(status).toBe(202);
	const [first, second] = await claimFrom(office, lane(tenant));
	if (first === undefined || second === undefined) throw new Error("two deliveries were expected");
	await settleAs(office, tenant.id, [accepted(first)]);
	expect(await kept(tenant)).toMatchObject({ data: 1 });
	await settleAs(office, tenant.id, [{ id: second.id, from: ["sending"], status: "failed" }]);
	expect(await kept(tenant)).toMatchObject({ data: 0, addresses: 2 });
});

test("more than a batch is purged in one run, of every tenant", async () => {
	const tenants = [office.tenant({}), office.tenant({})];
	for (const tenant of tenants) for (const _ of [1, 2]) await office.send(tenant, greeting(addresses(900)));
	await purgeAfter(100);
	for (const tenant of tenants) expect(await kept(tenant)).toMatchObject({ messages: 0, deliveries: 0 });
});

test("keys of requests, reports and minutes of providers, and suppressions are removed when they expire", async () => {
	const tenant = office.tenant({});
	await office.send(tenant, greeting(addresses(1)));
	const owner = openPool({ url: office.database.ownerUrl, name: "purge-test", sizeMax: 1 });
	onTestFinished(() => owner.close());
	await owner.query("set role lango_lookup");
	await owner.query(
		`with made as (
		   insert into platform_providers (channel, kind, name, credentials_key_id, credentials, weight, resting_weight, per_second,
		     in_flight_max, enabled, created_by, created_at, updated_at)
		   values ('email', 'smtp', 'purged', 'k', '', 100, 100, 1, 1, false, 'test', now(), now()) returning id
		 ), reported as (
		   insert into provider_reports (provider_id, event_key, body_key_id, body, received_at, due_at)
		   select id, '', 'k', '', now(), now() from made
		 ), minutes as (
		   insert into provider_minutes (provider_id, minute, sent, errors, slow) select id, now(), 1, 0, 0 from made
		 )
		 insert into platform_suppressions (channel, address_key_id, address_key, address_masked, reason, expires_at, created_at)
		 values ('email', 'k', 'x', '', 'bounce', now() + interval '10 days', now()), ('email', 'k', 'y', '', 'manual', null, now())`,
	);
	const left = async () => {
		const [row] = await owner.query(
			`select (select count(*)::int from idempotency_keys) as keys, (select count(*)::int from provider_reports) as reports,
			        (select count(*)::int from provider_minutes) as minutes, (select count(*)::int from platform_suppressions) as suppressions`,
		);
		return row;
	};
	await purgeAfter(0.99);
	expect(await left()).toMatchObject({ reports: 1, minutes: 1, suppressions: 2 });
	expect((await left())?.["keys"]).toBeGreaterThan(0);
	await purgeAfter(6.9);
	expect(await left()).toEqual({ keys: 0, reports: 1, minutes: 0, suppressions: 2 });
	await purgeAfter(10.1);
	expect(await left()).toEqual({ keys: 0, reports: 0, minutes: 0, suppressions: 1 });
});

test("reports and minutes of a provider that went with its tenant are removed by the next purge", async () => {
	const owner = openPool({ url: office.database.ownerUrl, name: "purge-test", sizeMax: 1 });
	onTestFinished(() => owner.close());
	await owner.query("set role lango_lookup");
	await owner.query(
		`with reported as (
		   insert into provider_reports (provider_id, event_key, body_key_id, body, received_at, due_at)
		   values (gen_random_uuid(), '', 'k', '', now(), now())
		 )
		 insert into provider_minutes (provider_id, minute, sent, errors, slow) values (gen_random_uuid(), now(), 1, 0, 0)`,
	);
	await purgeAfter(0);
	const left = await owner.query(
		"select provider_id from provider_reports union select provider_id from provider_minutes",
	);
	expect(left).toEqual([]);
});

test("of a deleted tenant only the ledger of its credit stays", async () => {
	const tenant = office.tenant({});
	const grant = await office.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/notifications/credits/grants`,
		token: office.token(office.lango, "superuser"),
		body: { segments: 5, reason: "test" },
	});
	expect(grant.status).toBe(201);
	await office.send(tenant, greeting(addresses(2)));
	await sendAll(tenant);
	const left = () =>
		acrossTenants(office.database.db, async (tx) => {
			const tables = await tx.query<{ name: string }>(
				`select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and a.attname = 'tenant_id'
				  where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and has_table_privilege(c.oid, 'select')`,
			);
			const found: string[] = [];
			for (const { name } of tables) {
				const [row] = await tx.query<{ n: number }>(
					`select count(*)::int as n from ${name} where tenant_id = $1`,
					[tenant.id],
				);
				if (row !== undefined && row.n > 0) found.push(name);
			}
			return found.toSorted();
		});
	expect((await left()).length).toBeGreaterThan(5);
	const { id, slug } = tenant;
	const data = { tenant_id: id, slug, version: 9 };
	await office.transport.publish(testEvent(tenantDeleted, { subject: id, tenant: { id }, data }));
	await expect.poll(left).toEqual(["audit_log", "credit_entries"]);
});
