import { afterAll, beforeAll, expect, test } from "vitest";
import { parts } from "../../tools/up.ts";
import { type Answer, type Services, startServices } from "./services.ts";

// A tenant's whole life with a subscription, step by step over HTTP: each test continues where the one
// before it ended.

/** Always about noon in Nairobi, so that no day ends while the journey is in progress. */
const offsetMs = Date.parse(`${new Date().toISOString().slice(0, 10)}T09:00:00Z`) - Date.now();
const now = () => new Date(Date.now() + offsetMs);
const startedAt = now();
/** A change reaches every service within a second; the machine may be slow. */
const soon = { interval: 50 };

let platform: Services;
let token: string;
let root: string;
let tenantId: string;
let coffee: string;
beforeAll(async () => {
	platform = await startServices(now, ["ordering"]);
	root = await platform.signIn("root@lango.example", parts.password);
}, 120_000);
afterAll(() => platform?.close());

const order = () =>
	platform.call("ordering", "/api/v1/mto/orders", {
		method: "POST",
		token,
		body: { lines: [{ item_id: coffee }] },
	});
const subscription = (path = "", body?: unknown) =>
	platform.call("subscriptions", `/api/v1/tenants/${tenantId}/subscription${path}`, {
		token,
		...(body !== undefined && { method: "POST", body }),
	});
const currentState = async () => {
	const { plan, status, access } = (await subscription()).body;
	return { plan, status, access };
};
const said = ({ status, body }: Answer) => [status, body["code"]];
const daysAfterTheStart = (days: number) =>
	platform.call("subscriptions", `/api/v1/test-clock/${tenantId}`, {
		method: "PUT",
		token: root,
		body: { now: new Date(startedAt.getTime() + days * 86_400_000).toISOString() },
	});
const payments = (answer: "pays" | "refuses") =>
	platform.call("subscriptions", `/api/v1/sandbox/billing/${tenantId}`, {
		method: "PUT",
		token: root,
		body: { answer },
	});
/** So many orders, ten at a time; the statuses answered, each with how often. */
async function orders(count: number): Promise<Record<number, number>> {
	const answered: Record<number, number> = {};
	for (let left = count; left > 0; left -= 10)
		for (const { status } of await Promise.all(Array.from({ length: Math.min(10, left) }, order)))
			answered[status] = (answered[status] ?? 0) + 1;
	return answered;
}

test("a person registers a new tenant, and is its administrator", async () => {
	const password = "Mto-wa-maji-2026!";
	const registered = await platform.call("auth", "/api/v1/auth/register", {
		method: "POST",
		body: {
			...{ name: "Neema Mto", email: "neema@mto.example", password, org_action: "create_new" },
			organization: { name: "Mto Coffee", slug: "mto", use_case: "quick_service" },
			selected_plan: "STARTER",
		},
	});
	expect(registered.status).toBe(201);
	token = await platform.signIn("neema@mto.example", password);
	const me = await platform.call("ordering", "/api/v1/mto/auth/me", { token });
	expect(me).toMatchObject({ status: 200, body: { service_role: "ordering_admin" } });
	tenantId = String((await platform.call("auth", "/api/v1/tenants/by-slug/mto")).body["id"]);
});

test("without a subscription a change is refused with a request to choose a plan", async () => {
	const item = { category: "Coffee", name: "Espresso", price_minor: 18_000 };
	const refused = await platform.call("ordering", "/api/v1/mto/catalog/items", {
		method: "POST",
		token,
		body: item,
	});
	expect(refused).toMatchObject({ status: 403, body: { code: "subscription_inactive", upgrade: true } });
});

test("they choose Starter, the trial begins, and they sell without signing in again", async () => {
	expect(await subscription("", { plan: "STARTER" })).toMatchObject({
		status: 201,
		body: { plan: "STARTER", status: "TRIAL", access: "full" },
	});
	const body = { category: "Coffee", name: "Espresso", price_minor: 18_000 };
	const add = () => platform.call("ordering", "/api/v1/mto/catalog/items", { method: "POST", token, body });
	let added: Answer = { status: 0, body: {} };
	await expect
		.poll(async () => {
			added = await add();
			return added.status;
		}, soon)
		.toBe(201);
	coffee = String(added.body["id"]);
	const menu = await platform.call("ordering", "/api/v1/mto/menu/items");
	expect(menu.body["items"]).toMatchObject([{ id: coffee, name: "Espresso", currency: "KES" }]);
});

test("a hundred orders fill the day, and the next one is refused by the limit's name", async () => {
	expect(await orders(100)).toEqual({ 201: 100 });
	expect(await order()).toMatchObject({
		status: 403,
		body: { code: "limit_reached", limit: "max_orders_per_day", limit_value: 100 },
	});
});

test("the subscription service has counted each of them once", async () => {
	await expect
		.poll(async () => {
			const path = `/api/v1/tenants/${tenantId}/usage/order_count`;
			return (await platform.call("subscriptions", path, { token })).body["used"];
		}, soon)
		.toBe(100);
});

test("they upgrade and pay, and the limit is gone without signing in again", async () => {
	expect((await subscription("/checkout", { plan: "GROWTH" })).status).toBe(202);
	await expect.poll(currentState, soon).toMatchObject({ plan: "GROWTH", access: "full" });
	await expect.poll(async () => (await order()).status, soon).toBe(201);
	await daysAfterTheStart(15);
	expect(await currentState()).toEqual({ plan: "GROWTH", status: "ACTIVE", access: "full" });
	expect((await order()).status).toBe(201);
});

test("a downgrade waits for the end of the period, and the old plan holds until then", async () => {
	const quote = await subscription("/quote", { plan: "STARTER" });
	expect(quote.status).toBe(200);
	const change = { quote_id: quote.body["quote_id"], mode: "period_end", acknowledge: true };
	expect((await subscription("/change", change)).status).toBe(200);
	expect((await subscription()).body["pending_change"]).toMatchObject({ plan: "STARTER" });
	expect((await order()).status).toBe(201);
});

test("the clock moves past the period: the lower plan holds, its renewal is refused, and the limit is back", async () => {
	await payments("refuses");
	await daysAfterTheStart(46);
	expect(await currentState()).toEqual({ plan: "STARTER", status: "PAST_DUE", access: "full" });
	await expect.poll(async () => said(await order()), soon).toEqual([403, "limit_reached"]);
});

test("when the retries are spent it is expired, and in grace everything still works", async () => {
	await daysAfterTheStart(61);
	expect(await currentState()).toEqual({ plan: "STARTER", status: "EXPIRED", access: "grace" });
	const path = `/api/v1/mto/catalog/items/${coffee}`;
	const price = { method: "PATCH", token, body: { price_minor: 19_000 } };
	expect((await platform.call("ordering", path, price)).status).toBe(200);
});

test("after the grace it is read-only: nothing is changed, everything is read", async () => {
	await daysAfterTheStart(69);
	expect(await currentState()).toEqual({ plan: "STARTER", status: "EXPIRED", access: "read_only" });
	await expect.poll(async () => said(await order()), soon).toEqual([403, "subscription_inactive"]);
	const read = await platform.call("ordering", "/api/v1/mto/orders?limit=1", { token });
	expect(read.status).toBe(200);
	expect((await platform.call("ordering", "/api/v1/mto/menu/items")).status).toBe(200);
});

test("they check out and pay, are active again, and sell", async () => {
	await payments("pays");
	expect((await subscription("/checkout", { plan: "GROWTH" })).status).toBe(202);
	await expect.poll(currentState, soon).toEqual({ plan: "GROWTH", status: "ACTIVE", access: "full" });
	await expect.poll(async () => (await order()).status, soon).toBe(201);
});
