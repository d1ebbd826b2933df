import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const setEnvironment = (environment: string) =>
	till.database.db.query("update gateway_profiles set environment = $1 where kind = 'mobile_money'", [
		environment,
	]);
const setVerified = () =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("update tenant_gateways set verified_at = now()"),
	);
afterEach(() => setEnvironment("sandbox"));

const call = (path: string, body?: object, tenant: PublicTenant = till.tenants.uhai) =>
	till.call({
		...{ method: "POST", url: `/api/v1/${tenant.slug}/treasury/mobile-money/${path}` },
		...{ token: till.token(tenant, "admin"), body },
	});
const payment = () => ({ amount_minor: 50_000, phone: newPhone("is silent"), account: "INV-1" });

test("the addresses of a shortcode are registered at the gateway, and a payment arrives there", async () => {
	const { status, body } = await call("urls");
	expect(status).toBe(200);
	const gateway = await till.call({
		...{ method: "GET", url: `/api/v1/${till.tenants.uhai.slug}/treasury/gateway` },
		token: till.token(till.tenants.uhai, "admin"),
	});
	expect(gateway.body.urls_registered_at).toBe(body.registered_at);
	await till.payAtCounter({ shortcode: "600200", amountMinor: 50_000, account: "INV-1" });
	expect((await listRows(till.database.db)).at(-1)).toMatchObject({ status: "done", trust: "token" });
});

test("two tokens of a shortcode are valid at a time: a third one ends the first", async () => {
	const { kahawa } = till.tenants;
	for (let turn = 0; turn < 3; turn++) await till.registerUrls(kahawa);
	const rows = await inTenant(till.database.db, kahawa.id, (tx) =>
		tx.query(
			`select route, count(*)::int as tokens, count(expires_at)::int as over, min(expires_at) is not null and
			   (array_agg(expires_at order by id))[1] is not null as is_first_over
			  from callback_tokens where object_kind = 'shortcode' group by route order by route`,
		),
	);
	const three = { tokens: 3, over: 1, is_first_over: true };
	expect(rows).toEqual([
		{ route: "confirmation", ...three },
		{ route: "validation", ...three },
	]);
});

test("a token whose registration the gateway refuses is not kept", async () => {
	const { kahawa } = till.tenants;
	await till.sandbox("PUT", "/_control/faults", [
		{ operation: "register_urls", fault: "spike_arrest", count: 1 },
	]);
	const count = () =>
		inTenant(till.database.db, kahawa.id, (tx) =>
			tx.query(
				"select (select count(*) from callback_tokens) as rows, (select count(*) from locators) as named",
			),
		);
	const before = await count();
	expect(await call("urls", undefined, kahawa)).toMatchObject({
		...{ status: 409, body: { code: "gateway_refused", gateway_code: "500.003.02" } },
	});
	expect(await count()).toEqual(before);
});

test("in production the addresses of a shortcode are registered once", async () => {
	await till.registerUrls(till.tenants.uhai);
	await setEnvironment("production");
	expect((await call("urls")).body.code).toBe("shortcode_unverified");
	await setVerified();
	expect(await call("urls")).toMatchObject({ status: 409, body: { code: "urls_registered" } });
});

test("a simulated payment arrives as a confirmation", async () => {
	await till.registerUrls(till.tenants.uhai);
	const before = (await listRows(till.database.db)).length;
	expect(await call("simulate", payment())).toMatchObject({ status: 202 });
	await expect.poll(async () => (await listRows(till.database.db)).length).toBeGreaterThan(before);
});

test.each([
	["a phone of another country", { phone: "+14155550100" }, [400, "phone_invalid"]],
	["an amount with cents", { amount_minor: 50_050 }, [400, "amount_not_whole"]],
] as const)("a simulated payment with %s is refused", async (_what, change, refusal) => {
	const { status, body } = await call("simulate", { ...payment(), ...change });
	expect([status, body.code]).toEqual(refusal);
});

test("payments are simulated in the sandbox only", async () => {
	await setVerified();
	await setEnvironment("production");
	expect(await call("simulate", payment())).toMatchObject({ status: 409, body: { code: "sandbox_only" } });
});

test("a tenant without a shortcode neither registers nor simulates", async () => {
	const { duka, uhai } = till.tenants;
	const plan = till.subscriptions.records.get(uhai.id);
	if (plan !== undefined) till.subscriptions.records.set(duka.id, { ...plan, tenant_id: duka.id });
	for (const [path, body] of [["urls"], ["simulate", payment()]] as const)
		expect(await call(path, body, duka)).toMatchObject({
			status: 409,
			body: { code: "channel_unavailable" },
		});
});

test("the platform's shortcode is not a till: its payments name no bill", async () => {
	const { lango } = till.tenants;
	const put = (kind: string) =>
		till.call({
			...{ method: "PUT", url: `/api/v1/${lango.slug}/treasury/gateway`, token: till.token(lango, "admin") },
			body: { shortcode: "600100", kind },
		});
	expect(await put("till")).toMatchObject({
		...{ status: 409, body: { code: "paybill_required", field: "kind" } },
	});
	expect(await put("paybill")).toMatchObject({ status: 200, body: { kind: "paybill" } });
});
