import { randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { inTenant, openPool } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { readKeyEncryptionKeys, UnsealFailed } from "@lango/tokens";
import { expect, onTestFinished, test } from "vitest";
import { createVault } from "../src/addresses/sealed-address.ts";
import { sendDelivery } from "../src/dispatch/send-delivery.ts";
import { type Replacement, replaceSeals } from "../src/keys/key.store.ts";
import { renewSeals } from "../src/keys/renew-seals.ts";
import { sealedPlaces } from "../src/keys/sealed-place.ts";
import type { Rendered } from "../src/rendering/rendered.ts";
import { claimWith, sendingIn } from "./dispatch.ts";
import { encryptionKeys, greeting, openOffice } from "./office.ts";

const office = setUp(() => openOffice());

const key = (n: number) => `k${n}:${Buffer.alloc(32, n).toString("base64")}`;
const vaultOf = (...keys: string[]) => createVault(readKeyEncryptionKeys(keys.join(",")));
const hourMs = 3_600_000;
const never = new AbortController().signal;

type Renewing = Parameters<typeof renewSeals>[0];
/** Runs the job as processes with these keys do. Returns what it logged. */
async function run(vault: Renewing["vault"], { at = 0, signal = never } = {}) {
	const logged: Array<Record<string, unknown>> = [];
	const log = { warn: (about: Record<string, unknown>) => logged.push(about) } as unknown as Renewing["log"];
	const now = () => new Date(Date.now() + at);
	await renewSeals({ db: office.database.db, now, vault, log }, signal);
	return logged.map(({ table, rows }) => ({ table, rows }));
}
const renewal = async (keyId: string) => {
	const [row] = await office.database.db.query<{ found: Record<string, number>; finished_at: Date | null }>(
		"select found, finished_at from key_renewals where key_id = $1",
		[keyId],
	);
	return row;
};
const rows = <R extends Record<string, unknown>>(
	tenant: PublicTenant,
	statement: string,
	values: unknown[] = [],
) => inTenant(office.database.db, tenant.id, (tx) => tx.query<R>(statement, values));

/** A row in every place of sealed values of the tenant, under the key of the office. */
async function fill(tenant: PublicTenant, name: string) {
	const old = vaultOf(encryptionKeys);
	const address = old.sealAddress("email", `${name}@uhai.example`);
	const phone = old.sealAddress("sms", "+254712345678");
	const [data, email, number] = [old.sealData({ values: { a: 1 } }), address.sealed, phone.sealed];
	expect((await office.send(tenant, greeting([`${name}@uhai.example`]))).status).toBe(202);
	const [person, digest] = [randomUUID(), randomUUID()];
	await rows(
		tenant,
		`insert into recipients (tenant_id, id, name, email_key_id, email, email_address_key, roles, status, created_at, updated_at)
		 values ($1, $2, 'Asha', $3, $4, $5, '{}', 'active', now(), now())`,
		[tenant.id, person, email.keyId, email.sealed, address.keys[0]],
	);
	await rows(
		tenant,
		`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked, created_at)
		 values ($1, $2, 'sms', $3, $4, $5, '', now())`,
		[tenant.id, person, email.keyId, number.sealed, phone.keys[0]],
	);
	await rows(
		tenant,
		`insert into digest_windows (tenant_id, id, channel, user_id, key, status, opened_at, due_at, items, items_max)
		 values ($1, $2, 'email', $3, '', 'open', now(), now() + interval '1 hour', 1, 50)`,
		[tenant.id, digest, person],
	);
	await rows(
		tenant,
		`insert into digest_items (tenant_id, message_id, window_id, item_key_id, item, added_at)
		 values ($1, gen_random_uuid(), $2, $3, $4, now())`,
		[tenant.id, digest, email.keyId, data.sealed],
	);
	await rows(
		tenant,
		`insert into trigger_runs (tenant_id, platform_trigger_id, event_id, event_type, event_key_id, event, status, due_at, created_at)
		 select $1, t.id, gen_random_uuid(), t.event_type, $2, $3, 'waiting', now(), now()
		   from platform_triggers t order by t.id limit 1`,
		[tenant.id, email.keyId, data.sealed],
	);
}

const tables = sealedPlaces.map(({ table }) => table);
/** The ids of keys in use by the tenant, by table. */
async function keysOf(tenant: PublicTenant) {
	const found = await Promise.all(
		sealedPlaces.map(({ keyId, table }) =>
			rows<{ id: string }>(tenant, `select ${keyId} as id from ${table}`),
		),
	);
	return Object.fromEntries(tables.map((table, n) => [table, found[n]?.map(({ id }) => id)]));
}
const everywhere = (id: string) => Object.fromEntries(tables.map((table) => [table, [id]]));

test("operators see how many rows the last pass found under an older key, and how many suppressions keep one", async () => {
	await office.jobs.run("keys.renew");
	await office.send(office.uhai, greeting(["counted@uhai.example"]));
	await rows(
		office.uhai,
		`insert into suppressions (tenant_id, channel, address_key_id, address_key, address_masked, reason, expires_at, created_at)
		 select $1, 'email', 'older', sha256(n::text::bytea), '', 'bounce', case n when 2 then now() end, now()
		   from generate_series(1, 2) n on conflict do nothing`,
		[office.uhai.id],
	);
	const { body } = await office.app.inject({ url: "/metrics" });
	expect(body).toMatch(/^lango_keys_older_rows\{[^}]*lango_table="suppressions"[^}]*\} 1$/m);
	expect(body).toMatch(/^lango_keys_older_rows\{[^}]*lango_table="messages"[^}]*\} \d+$/m);
});

test("after a rotation stored values are encrypted again, and then need the new key only", async () => {
	const tenant = office.tenant({});
	await fill(tenant, "renewed");
	const owner = openPool({ url: office.database.ownerUrl, name: "keys-test", sizeMax: 1 });
	onTestFinished(() => owner.close());
	await owner.query("set role lango_lookup");
	const secrets = { credentials: { user: "u" }, webhookToken: "t" };
	const { keyId, sealed } = vaultOf(encryptionKeys).sealCredentials(secrets);
	await owner.query(
		`insert into platform_providers (channel, kind, name, credentials_key_id, credentials, weight, resting_weight, per_second,
		   in_flight_max, enabled, created_by, created_at, updated_at)
		 values ('email', 'smtp', 'renewed', $1, $2, 100, 100, 1, 1, false, 'test', now(), now())`,
		[keyId, sealed],
	);
	expect(await keysOf(tenant)).toEqual(everywhere("test"));
	expect(await run(vaultOf(key(1), encryptionKeys))).toEqual([]);
	expect(await keysOf(tenant)).toEqual(everywhere("k1"));

	const only = vaultOf(key(1));
	const [provider] = await owner.query<{ credentials_key_id: string; credentials: Buffer }>(
		"select credentials_key_id, credentials from platform_providers where name = 'renewed'",
	);
	expect(provider && only.openCredentials({ keyId: "k1", sealed: provider.credentials })).toEqual(secrets);
	for (const { keyId: of, sealed: value, table, address } of sealedPlaces) {
		const [row] = await rows<{ key_id: string; sealed: Buffer; address_key: Buffer; channel: "email" }>(
			tenant,
			`select ${of} as key_id, ${value} as sealed, ${address?.key ?? "null"} as address_key,
			        ${address?.channel ?? "null"} as channel from ${table}`,
		);
		if (row === undefined) throw new Error(`${table} has no row`);
		const stored = { keyId: row.key_id, sealed: row.sealed };
		if (address === undefined) expect(only.openData(stored)).toMatchObject({ values: {} });
		else
			expect([table, only.keysOf(row.channel, only.openAddress(stored))]).toEqual([table, [row.address_key]]);
	}
	const lane = { tenantId: tenant.id, channel: "email", messageClass: "normal" } as const;
	const [claimed] = await claimWith(only, office, { lane });
	if (claimed === undefined) throw new Error("the delivery was not claimed");
	const sent: Rendered[] = [];
	await sendDelivery({ ...sendingIn(office, { sent }), vault: only }, lane, claimed);
	expect(sent).toMatchObject([{ to: "renewed@uhai.example" }]);
});

test("the measurement is what the last pass found, and a pass an hour later that finds nothing is the last one", async () => {
	const tenant = office.tenant({});
	await fill(tenant, "measured");
	const vault = vaultOf(key(2), key(1), encryptionKeys);
	await run(vault);
	const found = (await renewal("k2"))?.found;
	for (const table of tables) expect(found?.[table]).toBeGreaterThan(0);
	expect((await renewal("k2"))?.finished_at).toBeNull();
	await fill(tenant, "late");
	await run(vault, { at: hourMs / 2 });
	expect((await renewal("k2"))?.found).toEqual(found);
	await run(vault, { at: 1.1 * hourMs });
	expect((await renewal("k2"))?.found).toMatchObject(Object.fromEntries(tables.map((table) => [table, 1])));
	await run(vault, { at: 2.2 * hourMs });
	expect(await renewal("k2")).toMatchObject({
		...{ found: { providers: 0, messages: 0, message_deliveries: 0 }, finished_at: expect.any(Date) },
	});
	await fill(tenant, "ended");
	await run(vault, { at: 9 * hourMs });
	expect((await keysOf(tenant))["messages"]).toContain("test");
	// Another key becomes the newest, and then this one again.
	await run(vaultOf(key(3), key(2), key(1), encryptionKeys), { at: 10 * hourMs });
	await run(vaultOf(key(2), key(3), key(1), encryptionKeys), { at: 11 * hourMs });
	expect(new Set((await keysOf(tenant))["messages"])).toEqual(new Set(["k2"]));
});

test("a value that cannot be opened, and one that cannot be replaced, are logged and do not stop the others", async () => {
	const [tenant, other] = [office.tenant({}), office.tenant({})];
	for (const one of [tenant, other]) await fill(one, "isolated");
	await rows(tenant, "update messages set data_key_id = 'missing'");
	// The same address under the newest key: the replaced one would be there twice.
	const vault = vaultOf(key(4), key(3), key(2), key(1), encryptionKeys);
	const { sealed, keys } = vault.sealAddress("sms", "+254712345678");
	await rows(
		tenant,
		`insert into contact_points (tenant_id, user_id, channel, address_key_id, address, address_key, address_masked, created_at)
		 select tenant_id, user_id, channel, $2, $3, $4, '', now() from contact_points where tenant_id = $1
		 on conflict do nothing`,
		[tenant.id, sealed.keyId, sealed.sealed, keys[0]],
	);
	const logged = await run(vault);
	expect(logged).toEqual(
		expect.arrayContaining([
			{ table: "messages", rows: 1 },
			{ table: "contact_points", rows: 1 },
		]),
	);
	expect(logged).toHaveLength(2);
	expect(await keysOf(other)).toEqual(everywhere("k4"));
	expect(await keysOf(tenant)).toMatchObject({ messages: ["missing"], message_deliveries: ["k4"] });
	await run(vault, { at: 1.1 * hourMs });
	expect(await renewal("k4")).toMatchObject({ found: { messages: 1, contact_points: 1 }, finished_at: null });
	await rows(tenant, "delete from digest_windows");
	await rows(tenant, "delete from recipients");
	await rows(tenant, "delete from message_deliveries");
	await rows(tenant, "delete from messages");
});

test("a run that is stopped is continued by the next one, which skips the tenants that are done", async () => {
	const stopped = new AbortController();
	const vault = vaultOf(key(5), key(4), key(3), key(2), key(1), encryptionKeys);
	const tenants = [office.tenant({}), office.tenant({})];
	for (const tenant of tenants) await fill(tenant, "continued");
	let renewed = 0;
	const counting = {
		...vault,
		sealData: (data: object) => {
			renewed += 1;
			if (renewed === 4) stopped.abort();
			return vault.sealData(data);
		},
	};
	await run(counting, { signal: stopped.signal });
	const before = renewed;
	expect((await renewal("k5"))?.found).toBeNull();
	await run(counting);
	expect(renewed).toBeGreaterThan(before);
	for (const tenant of tenants) expect(await keysOf(tenant)).toEqual(everywhere("k5"));
	const { found } = (await renewal("k5")) ?? {};
	// Three of each tenant are not addresses.
	expect((found?.["messages"] ?? 0) + (found?.["trigger_runs"] ?? 0) + (found?.["digest_items"] ?? 0)).toBe(
		renewed,
	);
});

test("a value that was changed meanwhile is kept", async () => {
	const tenant = office.tenant({});
	await fill(tenant, "changed");
	const messages = sealedPlaces.find(({ table }) => table === "messages");
	const [row] = await rows<{ id: string; data: Buffer }>(tenant, "select id, data from messages");
	if (messages === undefined || row === undefined) throw new Error("no message");
	const stale: Replacement = {
		...{ id: row.id, was: Buffer.from("before") },
		renewed: vaultOf(key(1)).sealData({ values: {} }),
	};
	await inTenant(office.database.db, tenant.id, (tx) =>
		replaceSeals(tx, messages, { tenantId: tenant.id, replacements: [stale] }),
	);
	expect(await rows(tenant, "select id, data from messages")).toEqual([row]);
	expect(() => vaultOf(key(1)).openData({ keyId: "test", sealed: row.data })).toThrow(UnsealFailed);
});
