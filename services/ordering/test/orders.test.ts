import { randomUUID } from "node:crypto";
import { testSubscription } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, describe, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
let coffee: string;
beforeAll(async () => {
	coffee = await cafe.item(cafe.kahawa, { name: "Espresso", price_minor: 18_000 });
});

const url = "/api/v1/kahawa/orders";
const customer = () => cafe.token(cafe.kahawa, "member");
const admin = () => cafe.token(cafe.kahawa, "admin");
const cashier = () => cafe.token(cafe.kahawa, "cashier");
type Ordering = { token?: string; headers?: Record<string, string>; body?: unknown };
const order = ({ token = customer(), headers = {}, body }: Ordering = {}) =>
	cafe.call({ method: "POST", url, token, headers, body: body ?? { lines: [{ item_id: coffee }] } });
const move = (id: string, status: string, token = cashier()) =>
	cafe.call({ method: "PATCH", url: `${url}/${id}`, token, body: { status } });

describe("an order", () => {
	test("is placed at the current prices in the tenant's currency, and keeps them", async () => {
		const mandazi = await cafe.item(cafe.kahawa, { name: "Mandazi", price_minor: 6_050 });
		const lines = [
			{ item_id: coffee, quantity: 2 },
			{ item_id: mandazi, quantity: 3 },
		];
		const placed = await order({ body: { lines } });
		expect(placed).toMatchObject({
			status: 201,
			body: { status: "placed", currency: "KES", total_minor: 54_150, outlet_id: null },
		});
		await cafe.call({
			method: "PATCH",
			url: `/api/v1/kahawa/catalog/items/${mandazi}`,
			token: admin(),
			body: { price_minor: 7_000, name: "Mandazi kubwa" },
		});
		const { body } = await cafe.call({ url: `${url}/${placed.body.id}`, token: admin() });
		expect(body.lines).toEqual([
			{ item_id: coffee, name: "Espresso", unit_price_minor: 18_000, quantity: 2 },
			{ item_id: mandazi, name: "Mandazi", unit_price_minor: 6_050, quantity: 3 },
		]);
		expect(body.total_minor).toBe(54_150);
		expect((await order({ body: { lines } })).body.total_minor).toBe(57_000);
	});

	test("is not cached", async () => {
		const { body, headers } = await order();
		expect(headers["cache-control"]).toBe("no-store");
		const read = await cafe.call({ url: `${url}/${body.id}`, token: admin() });
		expect([read.status, read.headers["cache-control"]]).toEqual([200, "no-store"]);
	});

	test("of the maximum size has an exact total", async () => {
		const dear = await cafe.item(cafe.kahawa, { name: "Dear", price_minor: 999_999_999_999 });
		const lines = Array.from({ length: 50 }, () => ({ item_id: dear, quantity: 100 }));
		expect((await order({ body: { lines } })).body.total_minor).toBe(4_999_999_999_995_000);
	});

	test("changes from placed to accepted, ready and completed, and repeated changes have no effect", async () => {
		const { id } = (await order()).body;
		for (const status of ["accepted", "accepted", "ready", "completed"])
			expect(await move(id, status)).toMatchObject({ status: 200, body: { status } });
	});

	test("keeps X-Outlet-ID, and lists are filtered by it", async () => {
		const at = { "x-outlet-id": cafe.counter.id };
		const { body } = await order({ headers: at });
		const counted = await cafe.call({ url: `${url}?total=true`, token: admin(), headers: at });
		expect(counted.body).toMatchObject({ items: [{ id: body.id }], total: 1 });
		expect(body.outlet_id).toBe(cafe.counter.id);
		const here = await cafe.call({ url, token: admin(), headers: at });
		expect(here.body.items.map(({ id }) => id)).toEqual([body.id]);
		const there = await cafe.call({ url, token: admin(), headers: { "x-outlet-id": cafe.storeRoom.id } });
		expect(there.body.items).toEqual([]);
		const none = await cafe.call({ url, token: admin(), headers: { "x-outlet-id": "the counter" } });
		expect(none.body.items.length).toBeGreaterThan(1);
		const one = { url: `${url}/${body.id}`, token: admin() };
		expect((await cafe.call({ ...one, headers: { "x-outlet-id": cafe.storeRoom.id } })).status).toBe(404);
	});

	test("is numbered within its day", async () => {
		const [first, second] = [await order(), await order()];
		expect(second.body.number).toBe(first.body.number + 1);
		expect(second.body.ordered_on).toMatch(/^\d{4}-\d\d-\d\d$/);
	});

	test("is listed newest first, page by page", async () => {
		const placed = [await order(), await order(), await order()].map(({ body }) => body.id).toReversed();
		const first = await cafe.call({ url: `${url}?limit=2`, token: admin() });
		const next = await cafe.call({ url: `${url}?limit=2&cursor=${first.body.next_cursor}`, token: admin() });
		const ids = [...first.body.items, ...next.body.items].map(({ id }) => id);
		expect(ids.slice(0, 3)).toEqual(placed);
	});
});

describe("access to orders", () => {
	test("a customer sees, opens and cancels only their own", async () => {
		const me = cafe.token(cafe.kahawa, "member", { sub: randomUUID() });
		const [mine, theirs] = [(await order({ token: me })).body.id, (await order()).body.id];
		const listed = await cafe.call({ url, token: me });
		expect(listed.body.items.map(({ id }) => id)).toEqual([mine]);
		expect((await cafe.call({ url: `${url}?total=true`, token: me })).body).toMatchObject({ total: 1 });
		expect((await cafe.call({ url: `${url}/${theirs}`, token: me })).body.code).toBe("order_not_found");
		const cancel = (id: string) => cafe.call({ method: "POST", url: `${url}/${id}/cancel`, token: me });
		expect((await cancel(theirs)).body.code).toBe("order_not_found");
		expect(await cancel(mine)).toMatchObject({ status: 200, body: { status: "cancelled" } });
	});

	test("a person without orders:read in the token sees only their own, with any role here", async () => {
		await order();
		const viewer = cafe.token(cafe.kahawa, "viewer");
		expect((await cafe.call({ url, token: viewer })).body.items).toEqual([]);
		const token = cafe.token(cafe.kahawa, "viewer", { permissions: ["orders:read"] });
		expect((await cafe.call({ url, token })).body.items.length).toBeGreaterThan(0);
	});

	test("a key sees all orders with ordering.orders.view and orders:read, its own without orders:read, and none with view_own", async () => {
		const all = await cafe.key(cafe.kahawa, ["ordering.orders.view", "orders:read"]);
		const own = await cafe.key(cafe.kahawa, ["ordering.orders.add", "ordering.orders.view"]);
		const none = await cafe.key(cafe.kahawa, ["ordering.orders.view_own"]);
		const body = { lines: [{ item_id: coffee }] };
		const placed = await cafe.call({ method: "POST", url, headers: { "x-api-key": own }, body });
		expect(placed.status).toBe(201);
		const seen = async (key: string) => (await cafe.call({ url, headers: { "x-api-key": key } })).body.items;
		expect((await seen(own)).map(({ id }) => id)).toEqual([placed.body.id]);
		expect((await seen(all)).length).toBeGreaterThan(1);
		expect((await cafe.call({ url, headers: { "x-api-key": none } })).status).toBe(403);
	});

	test("the platform owner lists the orders of all tenants, and names a tenant to open or place one", async () => {
		const cup = await cafe.item(cafe.soko);
		const token = cafe.token(cafe.lango, "superuser");
		const body = { lines: [{ item_id: cup }] };
		const placed = await cafe.call({
			method: "POST",
			url: `/api/v1/lango/orders?tenantId=${cafe.soko.id}`,
			token,
			body,
		});
		expect(placed).toMatchObject({ status: 201, body: { currency: "TZS" } });
		const all = await cafe.call({ url: "/api/v1/lango/orders", token });
		expect(new Set(all.body.items.map(({ currency }) => currency))).toEqual(new Set(["KES", "TZS"]));
		expect((await cafe.call({ method: "POST", url: "/api/v1/lango/orders", token, body })).body.code).toBe(
			"tenant_required",
		);
		expect((await cafe.call({ url: `/api/v1/lango/orders/${placed.body.id}`, token })).body.code).toBe(
			"tenant_required",
		);
	});
});

describe("a request is refused:", () => {
	test("for an unknown item, one of another tenant, or one that is not on sale: all of them are named", async () => {
		const theirs = await cafe.item(cafe.soko);
		const off = await cafe.item(cafe.kahawa, { is_available: false });
		const unknown = randomUUID();
		const lines = [coffee, theirs, off, unknown].map((item_id) => ({ item_id }));
		const { status, body } = await order({ body: { lines } });
		expect([status, body.code, body.item_ids]).toEqual([409, "item_unavailable", [theirs, off, unknown]]);
	});

	test.each([
		["no lines", { lines: [] }, "lines"],
		["a quantity of none", { lines: [{ item_id: randomUUID(), quantity: 0 }] }, "lines.0.quantity"],
		["half a coffee", { lines: [{ item_id: randomUUID(), quantity: 0.5 }] }, "lines.0.quantity"],
		["no item", { lines: [{}] }, "lines.0.item_id"],
		["a price of one's own", { lines: [{ item_id: randomUUID(), price_minor: 1 }] }, "lines.0.price_minor"],
	])("%s, and the field is named", async (_, body, field) => {
		expect(await order({ body })).toMatchObject({ status: 400, body: { code: "invalid_input", field } });
	});

	test("an outlet the tenant does not have", async () => {
		const { status, body } = await order({ headers: { "x-outlet-id": randomUUID() } });
		expect([status, body.code, body.field]).toEqual([404, "outlet_not_found", "x-outlet-id"]);
	});

	test("a status that is not a next one, with the current status", async () => {
		const { id } = (await order()).body;
		for (const status of ["ready", "completed"])
			expect(await move(id, status)).toMatchObject({
				status: 409,
				body: { code: "order_status_conflict", status: "placed" },
			});
		await move(id, "cancelled");
		expect((await move(id, "accepted")).body).toMatchObject({ status: "cancelled" });
	});

	test("a status that cannot be set, and an unknown order", async () => {
		const { id } = (await order()).body;
		expect((await move(id, "placed")).body).toMatchObject({ code: "invalid_input", field: "status" });
		expect((await move(randomUUID(), "accepted")).body.code).toBe("order_not_found");
	});

	test("cancelling one's own order after it is accepted", async () => {
		const token = customer();
		const { id } = (await order({ token })).body;
		await move(id, "accepted");
		const { status, body } = await cafe.call({ method: "POST", url: `${url}/${id}/cancel`, token });
		expect([status, body.code, body.status]).toEqual([409, "order_status_conflict", "accepted"]);
	});

	test("changing an order without orders:change in the token, or without the permission here", async () => {
		const { id } = (await order()).body;
		expect((await move(id, "accepted", cafe.token(cafe.kahawa, "staff"))).status).toBe(403);
		const token = cafe.token(cafe.kahawa, "member", { permissions: ["orders:change"] });
		expect((await move(id, "accepted", token)).status).toBe(403);
	});

	test("an order if the plan does not include the product", async () => {
		cafe.subscriptions.records.set(
			cafe.lango.id,
			testSubscription(cafe.lango.id, { products: ["hospital"] }),
		);
		const { body } = await cafe.call({
			method: "POST",
			url: "/api/v1/lango/orders",
			token: cafe.token(cafe.lango, "member"),
			body: { lines: [{ item_id: coffee }] },
		});
		expect(body.code).toBe("product_unavailable");
	});
});

describe("two parallel changes", () => {
	test("of a parallel acceptance and cancellation by the customer exactly one succeeds", async () => {
		const token = customer();
		for (let round = 0; round < 5; round += 1) {
			const { id } = (await order({ token })).body;
			const [accepted, cancelled] = await Promise.all([
				move(id, "accepted"),
				cafe.call({ method: "POST", url: `${url}/${id}/cancel`, token }),
			]);
			expect([accepted.status, cancelled.status].toSorted()).toEqual([200, 409]);
			const { status } = (await cafe.call({ url: `${url}/${id}`, token: admin() })).body;
			expect(status).toBe(accepted.status === 200 ? "accepted" : "cancelled");
		}
	});
});
