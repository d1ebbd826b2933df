import { randomUUID } from "node:crypto";
import { testSubscription, testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
afterEach(() => {
	cafe.subscriptions.brokenWith = undefined;
});

/** A tenant whose plan has these features, and one item on its menu. */
async function newShop(features: readonly string[]) {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	cafe.issuer.tenants.push(tenant);
	const limits = { max_orders_per_day: -1 };
	const plan = { features: [...features], products: ["ordering", "auth"], limits };
	cafe.subscriptions.records.set(tenant.id, testSubscription(tenant.id, plan));
	return { tenant, item: await cafe.item(tenant) };
}
type Shop = Awaited<ReturnType<typeof newShop>>;

/** Places, lists, reads and cancels an order. Returns the statuses and codes of the responses. */
async function ordersOf(
	{ tenant, item }: Shop,
	credential: { token?: string; headers?: Record<string, string> },
) {
	const url = `/api/v1/${tenant.slug}/orders`;
	const body = { lines: [{ item_id: item }] };
	const placed = await cafe.call({ method: "POST", url, body, ...credential });
	const id = placed.body.id ?? randomUUID();
	const answers = [
		placed,
		await cafe.call({ url, ...credential }),
		await cafe.call({ url: `${url}/${id}`, ...credential }),
		await cafe.call({ method: "POST", url: `${url}/${id}/cancel`, ...credential }),
	];
	return answers.map(({ status, body: { code } }) => code ?? status);
}

test("customers use the order routes only if the plan has customer_portal", async () => {
	const [without, having] = [await newShop([]), await newShop(["customer_portal"])];
	const refused = Array(4).fill("feature_unavailable");
	expect(await ordersOf(without, { token: cafe.token(without.tenant, "member") })).toEqual(refused);
	const token = cafe.token(having.tenant, "member");
	expect(await ordersOf(having, { token })).toEqual([201, 200, 200, 200]);
});

test("staff, superusers and API keys need no customer_portal", async () => {
	const shop = await newShop([]);
	for (const role of ["staff", "superuser"])
		expect(await ordersOf(shop, { token: cafe.token(shop.tenant, role) })).toEqual([201, 200, 200, 200]);
	const permissions = ["add", "view", "change"].map((action) => `ordering.orders.${action}`);
	const key = await cafe.key(shop.tenant, [...permissions, "orders:read"]);
	expect(await ordersOf(shop, { headers: { "x-api-key": key } })).toEqual([201, 200, 200, 200]);
});

test("while the plan is unknown, a customer can read but not place orders", async () => {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`);
	cafe.issuer.tenants.push(tenant);
	cafe.subscriptions.brokenWith = 503;
	const token = cafe.token(tenant, "member");
	const answers = await ordersOf({ tenant, item: randomUUID() }, { token });
	expect(answers).toEqual(["entitlements_unavailable", 200, "order_not_found", "entitlements_unavailable"]);
});
