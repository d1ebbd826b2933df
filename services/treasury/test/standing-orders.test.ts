import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);
const base = "/api/v1/uhai/treasury";

const now = () => till.clock.now ?? new Date();
const person = randomUUID();
/** A token that is valid by the clock of the service. */
function token(): string {
	const iat = Math.floor(now().getTime() / 1_000);
	return till.token(till.tenants.uhai, "admin", { sub: person, iat, exp: iat + 3_600 });
}

type Answer = { status: number; body: Record<string, unknown> };
const ask = (method: string, path: string, more: { body?: object; key?: string | null } = {}) => {
	const { key = randomUUID() } = more;
	const headers = key === null || method === "GET" ? {} : { "idempotency-key": key };
	return till.call({
		...{ method, url: `${base}${path}`, token: token(), headers },
		...(more.body && { body: more.body }),
	}) as Promise<Answer>;
};

beforeAll(async () => {
	await till.registerUrls(till.tenants.uhai);
});

/** A day of Nairobi from now, as the gateway counts them. */
const day = (days: number) =>
	new Date(now().getTime() + 3 * 3_600_000 + days * 86_400_000).toISOString().slice(0, 10);

const wanted = (phone: string, more: object = {}) => ({
	...{ phone, amount_minor: 50_000, frequency: "weekly", start_on: day(1), end_on: day(60) },
	...{ description: "School fees", ...more },
});

/** Waits for what the gateway sends, and applies it. */
async function arrived(route: string, many: number): Promise<void> {
	const count = () =>
		till.database.db
			.query("select from webhook_deliveries where route = $1", [route])
			.then((rows) => rows.length);
	await expect.poll(count).toBeGreaterThanOrEqual(many);
	await till.service.jobs.runDue();
}

const countOf = async (route: string) =>
	(await till.database.db.query("select from webhook_deliveries where route = $1", [route])).length;

/** A standing order of which the payer has answered the question. */
async function order(phone: string, more: object = {}): Promise<string> {
	const before = await countOf("standing-order");
	const { status, body } = await ask("POST", "/standing-orders", { body: wanted(phone, more) });
	expect([status, body["code"]]).toEqual([202, undefined]);
	await arrived("standing-order", before + 1);
	return String(body["id"]);
}

const show = async (id: string) => (await ask("GET", `/standing-orders/${id}`)).body;

/** Moves the clocks until the wallets have paid once more. */
async function execute(days: number): Promise<void> {
	const before = await countOf("confirmation");
	await till.wait(days * 86_400);
	await arrived("confirmation", before + 1);
}

test("a payer consents on the phone, and what the wallet pays by its clock is a paid request of the tenant's own trade", async () => {
	const phone = newPhone("is silent");
	const asked = await ask("POST", "/standing-orders", { body: wanted(phone) });
	expect([asked.status, asked.body["status"]]).toEqual([202, "consent_pending"]);
	const before = await countOf("standing-order");
	await till.sandbox("POST", `/_control/phones/${phone}/accept`);
	await arrived("standing-order", before + 1);
	const id = String(asked.body["id"]);
	expect(await show(id)).toMatchObject({ status: "active", executions: 0 });
	await execute(2);
	expect(await show(id)).toMatchObject({ status: "active", executions: 1 });
	const { body } = await ask("GET", `/intents?order_id=${id}`);
	expect(body["items"]).toMatchObject([
		{ status: "succeeded", amount_minor: 50_000, received_minor: 50_000 },
	]);
	await execute(7);
	expect(await show(id)).toMatchObject({ executions: 2 });
	const published = await till.published("treasury.standing_order.changed", till.tenants.uhai);
	expect(published.at(-1)).toMatchObject({
		standing_order_id: id,
		payee: "tenant",
		status: "active",
		version: 5,
	});
	expect(await till.balances(till.tenants.uhai)).toMatchObject({ "tenant.mobile": 100_000 });
	const all = (await ask("GET", "/standing-orders")).body["items"] as unknown[];
	expect((await ask("GET", "/standing-orders?limit=1&total=true")).body["total"]).toBe(all.length);
	await ask("POST", `/standing-orders/${id}/stop`);
});

test("what a stopped order's wallet still pays is flagged and waits, also when it is delivered again", async () => {
	const id = await order(newPhone("accepts"));
	expect(await ask("POST", `/standing-orders/${id}/stop`)).toMatchObject({ status: 200 });
	await execute(2);
	const { account_code: account, ...stopped } = await show(id);
	expect(stopped).toMatchObject({ status: "stopped", executions: 1 });
	await till.database.db.query(
		"update webhook_deliveries set status = 'received' where route = 'confirmation'",
	);
	await till.wait(300);
	await till.service.jobs.run("inbox.apply.sweep");
	await till.service.jobs.runDue();
	const { body } = await ask("GET", "/receipts?state=unallocated");
	const items = body["items"] as Array<Record<string, unknown>>;
	expect(items.filter((one) => one["account_ref"] === account)).toMatchObject([
		{ flag: "standing_order_closed", unallocated_minor: 50_000, payments: [] },
	]);
	expect(await ask("POST", `/standing-orders/${id}/stop`)).toMatchObject({
		...{ status: 409, body: { code: "standing_order_closed" } },
	});
});

test("a payer who refuses makes the order fail, and without the token of its request an answer is not applied", async () => {
	const id = await order(newPhone("cancels"));
	expect(await show(id)).toMatchObject({ status: "failed", failure_code: "1032" });
	const open = await ask("POST", "/standing-orders", { body: wanted(newPhone("is silent")) });
	const [{ gateway_ref } = { gateway_ref: "" }] = await inTenant(
		till.database.db,
		till.tenants.uhai.id,
		(tx) =>
			tx.query<{ gateway_ref: string }>("select gateway_ref from standing_orders where id = $1", [
				open.body["id"],
			]),
	);
	const said = { responseRefID: gateway_ref, requestRefID: gateway_ref, responseCode: "0" };
	const forged = await till.call({
		...{ method: "POST", url: "/api/v1/webhooks/mobilemoney/standing-order" },
		body: { responseHeader: said },
	});
	expect(forged.status).toBe(200);
	await till.service.jobs.runDue();
	expect(await show(String(open.body["id"]))).toMatchObject({ status: "consent_pending" });
});

test("the same Idempotency-Key is the same order, another request under it is refused, and one without a key", async () => {
	const [key, body] = [randomUUID(), wanted(newPhone("is silent"))];
	const first = await ask("POST", "/standing-orders", { key, body });
	const again = await ask("POST", "/standing-orders", { key, body });
	expect([again.status, again.body["id"], again.body["code"]]).toEqual([202, first.body["id"], undefined]);
	const other = await ask("POST", "/standing-orders", { key, body: { ...body, amount_minor: 60_000 } });
	expect([other.status, other.body["code"]]).toEqual([409, "idempotency_key_reused"]);
	const without = await ask("POST", "/standing-orders", { key: null, body });
	expect([without.status, without.body["code"]]).toEqual([400, "idempotency_key_required"]);
});

test.each([
	["phone_invalid", { phone: "12345678901" }],
	["amount_not_whole", { amount_minor: 50_050 }],
	["amount_out_of_range", { amount_minor: 25_000_100 }],
	["invalid_input", { start_on: "2020-01-01" }],
	["invalid_input", { end_on: "2020-01-01" }],
])("a standing order is refused as %s for %j, before the gateway is asked", async (code, more) => {
	const { status, body } = await ask("POST", "/standing-orders", {
		body: wanted(newPhone("is silent"), more),
	});
	expect([status, body["code"]]).toEqual([400, code]);
});

test("in production the codes of frequencies must be confirmed first, and what the gateway refuses is answered with its code", async () => {
	const { db } = till.database;
	const setProfile = (change: string) =>
		db.query(`update gateway_profiles set ${change} where kind = 'mobile_money'`);
	await setProfile("environment = 'production'");
	await inTenant(db, till.tenants.uhai.id, (tx) =>
		tx.query("update tenant_gateways set verified_at = now()"),
	);
	const unconfirmed = await ask("POST", "/standing-orders", { body: wanted(newPhone("is silent")) });
	await setProfile("environment = 'sandbox'");
	expect([unconfirmed.status, unconfirmed.body["code"]]).toEqual([409, "frequency_unconfirmed"]);
	await setProfile(`settings = jsonb_set(settings, '{frequency_map}', '{"weekly": "9"}')`);
	const refused = await ask("POST", "/standing-orders", { body: wanted(newPhone("is silent")) });
	await setProfile("settings = settings - 'frequency_map'");
	expect([refused.status, refused.body["code"]]).toEqual([409, "gateway_refused"]);
	const { body } = await ask("GET", "/standing-orders?status=failed");
	expect(body["items"]).toContainEqual(expect.objectContaining({ failure_code: "400" }));
});

/** Moves the clocks, and ends what time ends. */
async function end(days: number): Promise<void> {
	await till.wait(days * 86_400);
	await till.service.jobs.run("standing-orders.end.sweep");
	await till.service.jobs.runDue();
}

test("an order whose last day is over has ended three days later", async () => {
	const id = await order(newPhone("accepts"), { end_on: day(1) });
	await end(3);
	expect(await show(id)).toMatchObject({ status: "active" });
	await end(2);
	expect(await show(id)).toMatchObject({ status: "ended" });
});

test("an order whose consent does not arrive in three days has failed, and an execution proves it later", async () => {
	await till.sandbox("PUT", "/_control/faults", [{ operation: "standing_order", fault: "drop", count: 1 }]);
	const phone = newPhone("is silent");
	const body = wanted(phone, { start_on: day(7) });
	const { id } = (await ask("POST", "/standing-orders", { body })).body;
	await till.sandbox("POST", `/_control/phones/${phone}/accept`);
	await end(2);
	expect(await show(String(id))).toMatchObject({ status: "consent_pending" });
	await end(2);
	expect(await show(String(id))).toMatchObject({ status: "failed", failure_code: "no_consent" });
	await till.wait(4 * 86_400);
	const paid = async () => {
		await till.service.jobs.runDue();
		return show(String(id));
	};
	await expect.poll(paid).toMatchObject({ status: "active", executions: 1, failure_code: null });
});
