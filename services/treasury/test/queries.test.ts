import type { PublicTenant } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, beforeAll, expect, test } from "vitest";
import { findTenantGateway } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { addPayout, say } from "./payouts/add-payout.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);

type Call = { tenant?: PublicTenant; role?: string; body?: object };
const call = (
	method: string,
	path: string,
	{ tenant = till.tenants.uhai, role = "admin", body }: Call = {},
) =>
	till.call({
		...{ method, url: `/api/v1/${tenant.slug}/treasury/${path}`, body },
		token: till.token(tenant, role),
	});

beforeAll(async () => {
	const kahawa = { shortcode: "600300", kind: "till", initiator_name: "sandbox-initiator" };
	const body = { ...kahawa, initiator_password: "a wrong password" };
	await call("PUT", "gateway", { tenant: till.tenants.kahawa, body });
	await till.registerUrls(till.tenants.uhai);
});
afterEach(() => till.sandbox("PUT", "/_control/faults", []));

const fault = (operation: string, name: string) =>
	till.sandbox("PUT", "/_control/faults", [{ operation, fault: name, count: 1 }]);
const setWorking = (working_minor: number) =>
	till.sandbox("PUT", "/_control/shortcodes", [{ shortcode: "600200", working_minor }]);

/** The question as the API shows it, after what has arrived was applied. */
async function show(id: unknown, tenant = till.tenants.uhai) {
	await till.service.jobs.runDue();
	return (await call("GET", `mobile-money/queries/${id}`, { tenant })).body;
}

/** Asks, and returns the question when it has its end. */
async function ask(path: "balance" | "status", asking: Call = {}) {
	const { status, body } = await call("POST", `mobile-money/${path}`, asking);
	expect(status).toBe(202);
	await expect.poll(async () => (await show(body.id, asking.tenant)).ended_at).not.toBeNull();
	return show(body.id, asking.tenant);
}

const ownNumber = async () =>
	((await call("GET", "balances")).body["tenant_custody"] as Array<Record<string, unknown>>)[0];
const verifiedAt = async (tenant: PublicTenant) =>
	(await inTenant(till.database.db, tenant.id, findTenantGateway))?.verifiedAt;
const setEnvironment = (environment: string) =>
	till.database.db.query("update gateway_profiles set environment = $1 where kind = 'mobile_money'", [
		environment,
	]);

/** The entries about the verification of Uhai's shortcode in its audit log. */
const verifications = () =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query(
			"select subject, detail->>'query_id' as query from audit_log where action = 'shortcode.verified'",
		),
	);

test("the balance of a shortcode that is not verified is asked for, and its answer verifies it in production, with one entry in the audit log", async () => {
	await setEnvironment("production");
	try {
		expect(await verifiedAt(till.tenants.uhai)).toBeUndefined();
		const query = await ask("balance");
		expect(query).toMatchObject({ kind: "balance", status: "answered", shortcode: "600200" });
		expect(await verifiedAt(till.tenants.uhai)).toBeInstanceOf(Date);
		await ask("balance");
		expect(await verifications()).toEqual([{ subject: "600200", query: query["id"] }]);
	} finally {
		await setEnvironment("sandbox");
	}
});

test("a balance that the gateway does not read for the initiator fails, and verifies nothing", async () => {
	expect(await ask("balance", { tenant: till.tenants.kahawa })).toMatchObject({
		status: "failed",
		result: null,
	});
	expect(await verifiedAt(till.tenants.kahawa)).toBeUndefined();
});

test("an answer about balances is shown beside the mirror, and brings it in line by a journal external", async () => {
	await till.payAtCounter({ shortcode: "600200", amountMinor: 30_000 });
	for (const balance of [500_000, 20_000]) {
		await setWorking(balance);
		await ask("balance");
		const { mirror_minor, confirmed_minor, confirmed_at } = (await ownNumber()) ?? {};
		expect([mirror_minor, confirmed_at]).toEqual([confirmed_minor, expect.any(String)]);
	}
	const journals = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("select from journals where purpose = 'external' and source_type = 'query'"),
	);
	expect(journals.length).toBeGreaterThanOrEqual(2);
});

test("the mirror stays while a receipt that was counted after the question may explain the difference", async () => {
	await ask("balance");
	const before = (await ownNumber())?.["mirror_minor"] as number;
	await fault("balance", "delay");
	const { body } = await call("POST", "mobile-money/balance");
	await till.payAtCounter({ shortcode: "600200", amountMinor: 10_000 });
	await till.sandbox("PUT", "/_control/clock", { now: new Date(Date.now() + 600_000).toISOString() });
	await expect.poll(async () => (await show(body.id)).status).toBe("answered");
	expect((await ownNumber())?.["mirror_minor"]).toBe(before + 10_000);
});

test("the mirror stays while a prompt of the shortcode is open, and is brought in line after it", async () => {
	const body = { amount_minor: 10_000, currency: "KES", description: "Order 17", channels: ["push"] };
	const intent = (await call("POST", "intents", { body })).body["id"];
	const phone = newPhone("is silent");
	expect((await call("POST", `intents/${intent}/push`, { body: { phone } })).status).toBe(202);
	const before = (await ownNumber())?.["mirror_minor"] as number;
	await setWorking(before + 70_000);
	await ask("balance");
	expect((await ownNumber())?.["mirror_minor"]).toBe(before);
	await till.sandbox("POST", `/_control/phones/${phone}/cancel`);
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return (await call("GET", `intents/${intent}`)).body["status"];
		})
		.toBe("requires_payment");
	await ask("balance");
	const { mirror_minor, confirmed_minor } = (await ownNumber()) ?? {};
	expect([mirror_minor, mirror_minor === before]).toEqual([confirmed_minor, false]);
});

test("the mirror stays while a payout of the shortcode is sent, and if it ended after the question", async () => {
	const { db } = till.database;
	const { id: tenantId } = till.tenants.uhai;
	await ask("balance");
	const before = (await ownNumber())?.["mirror_minor"] as number;
	const mirror = async () => (await ownNumber())?.["mirror_minor"];
	const said = [{ kind: "approved" }, { kind: "submitted" }, { kind: "in_flight" }] as const;
	const payout = await addPayout(db, tenantId, { shortcode: "600200", grossMinor: 10_000n, said });
	await setWorking(before - 10_000);
	await ask("balance");
	expect(await mirror()).toBe(before);
	await fault("balance", "delay");
	const { body } = await call("POST", "mobile-money/balance");
	await say(db, payout, { kind: "paid" });
	await till.sandbox("PUT", "/_control/clock", { now: new Date(Date.now() + 1_200_000).toISOString() });
	await expect.poll(async () => (await show(body.id)).status).toBe("answered");
	expect(await mirror()).toBe(before - 10_000);
	await ask("balance");
	const { mirror_minor, confirmed_minor } = (await ownNumber()) ?? {};
	expect(mirror_minor).toBe(confirmed_minor);
});

test("the state of a transaction is asked for by its receipt", async () => {
	const receipt = await till.payAtCounter({ shortcode: "600200", amountMinor: 50_000 });
	expect(await ask("status", { body: { receipt } })).toMatchObject({
		...{ status: "answered", receipt, originator_id: null },
		result: { status: "Completed", receipt, amount_minor: 50_000, shortcode: "600200" },
	});
});

test("a transaction that the gateway does not know leaves the question failed with its code", async () => {
	const query = await ask("status", { body: { originator_id: "unknown-1" } });
	expect(query).toMatchObject({ status: "failed", failure_code: "2032", originator_id: "unknown-1" });
});

test("a timeout is applied to its question, and an answer that comes after it counts", async () => {
	await fault("balance", "late_after_timeout");
	const { body } = await call("POST", "mobile-money/balance");
	await expect.poll(async () => (await show(body.id)).status).toBe("answered");
	const timeouts = (await listRows(till.database.db)).filter(({ route }) => route === "timeout");
	expect(timeouts.at(-1)).toMatchObject({ status: "done", trust: "token" });
});

test("an answer without the token of a question is not applied", async () => {
	const raw = { Result: { ResultCode: 0, OriginatorConversationID: "forged-1", ConversationID: "forged-1" } };
	for (const route of ["balance-result", "txn-status-result"])
		await till.call({ method: "POST", url: `/webhooks/mobilemoney/${route}`, body: raw });
	await till.service.jobs.runDue();
	expect((await listRows(till.database.db)).slice(-2)).toMatchObject([
		{ status: "ignored", trust: "none" },
		{ status: "ignored", trust: "none" },
	]);
});

test("a question that the gateway refuses has failed, and the refusal is returned", async () => {
	await fault("balance", "spike_arrest");
	expect(await call("POST", "mobile-money/balance")).toMatchObject({
		...{ status: 409, body: { code: "gateway_refused", gateway_code: "500.003.02" } },
	});
});

test("a question whose reply is lost stays unknown", async () => {
	await fault("status", "maintenance");
	const { status, body } = await call("POST", "mobile-money/status", { body: { receipt: "SGL91XYZ12" } });
	expect([status, body["status"]]).toEqual([202, "unknown"]);
});

test("a question without an answer after ten minutes is shown as unknown", async () => {
	await fault("balance", "drop");
	const { body } = await call("POST", "mobile-money/balance");
	till.clock.now = new Date(Date.now() + 11 * 60_000);
	expect((await call("GET", `mobile-money/queries/${body.id}`)).body["status"]).toBe("unknown");
	till.clock.now = undefined;
});

test("a tenant without a shortcode asks nothing, and a question of another tenant is not found", async () => {
	const plan = till.subscriptions.records.get(till.tenants.uhai.id);
	if (plan !== undefined)
		till.subscriptions.records.set(till.tenants.duka.id, { ...plan, tenant_id: till.tenants.duka.id });
	const refused = await call("POST", "mobile-money/balance", { tenant: till.tenants.duka });
	expect(refused).toMatchObject({ status: 409, body: { code: "channel_unavailable" } });
	const { id } = await ask("balance");
	const foreign = await call("GET", `mobile-money/queries/${id}`, { tenant: till.tenants.duka });
	expect(foreign).toMatchObject({ status: 404, body: { code: "query_not_found" } });
});

test.each([
	["neither a receipt nor an originator id", {}],
	["a receipt of another form", { receipt: "no receipt" }],
])("a status query with %s is refused", async (_what, body) => {
	expect(await call("POST", "mobile-money/status", { body })).toMatchObject({
		...{ status: 400, body: { code: "invalid_input" } },
	});
});
