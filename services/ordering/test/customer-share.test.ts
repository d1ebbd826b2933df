import { randomUUID } from "node:crypto";
import type { BuiltService } from "@lango/chassis";
import type { PublicOutlet } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import { testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeAll, beforeEach, expect, test } from "vitest";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
let replica: BuiltService;
beforeAll(async () => {
	replica = await cafe.replica(8);
});
beforeEach(() => {
	cafe.clock.now = undefined;
});

/** A tenant with this limit of orders a day, one item on its menu, and these outlets. */
async function newShop(limit: number, outlets: PublicOutlet[] = []) {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`, { time_zone: "Africa/Nairobi" });
	cafe.issuer.tenants.push(tenant);
	cafe.issuer.outlets.set(tenant.slug, outlets);
	cafe.limit(tenant, limit);
	return { tenant, item: await cafe.item(tenant) };
}
type Shop = Awaited<ReturnType<typeof newShop>>;

type Placing = { token?: string; key?: string; idempotencyKey?: string; outlet?: string; on?: BuiltService };
const place = ({ tenant, item }: Shop, { token, key, idempotencyKey, outlet, on }: Placing) =>
	cafe.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/orders`,
		...(token !== undefined && { token }),
		headers: {
			...(key !== undefined && { "x-api-key": key }),
			...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
			...(outlet !== undefined && { "x-outlet-id": outlet }),
		},
		body: { lines: [{ item_id: item }] },
		...(on && { on }),
	});
const cancelOwn = ({ tenant }: Shop, id: string, { token, on }: { token: string; on?: BuiltService }) =>
	cafe.call({ method: "POST", url: `/api/v1/${tenant.slug}/orders/${id}/cancel`, token, ...(on && { on }) });
const customer = ({ tenant }: Shop, sub = randomUUID()) => cafe.token(tenant, "member", { sub });
const staff = ({ tenant }: Shop) => cafe.token(tenant, "staff", { sub: randomUUID() });
const dayOf = async ({ tenant }: Shop) => {
	const [day] = await acrossTenants(cafe.database.db, (tx) =>
		tx.query<{ orders: number; cancelled: number; active: number; numbers: number[] }>(
			`select d.orders, d.cancelled,
			        (select count(*)::int from orders o where o.tenant_id = d.tenant_id and o.status <> 'cancelled') as active,
			        (select array_agg(o.number order by o.number) from orders o where o.tenant_id = d.tenant_id) as numbers
			   from order_days d where d.tenant_id = $1`,
			[tenant.id],
		),
	);
	if (day === undefined) throw new Error("no orders yet");
	return day;
};
const upTo = (count: number) => Array.from({ length: count }, (_, index) => index + 1);
const statusesOf = (answers: ReadonlyArray<{ status: number }>) =>
	Object.fromEntries(
		[...Map.groupBy(answers, ({ status }) => status)].map(([status, { length }]) => [status, length]),
	);

test("a customer can place one fifth of the day's limit, then gets customer_limit_reached", async () => {
	const shop = await newShop(10);
	const token = customer(shop);
	const answers = [];
	for (let n = 0; n < 3; n += 1) answers.push(await place(shop, { token }));
	expect(answers.map(({ status }) => status)).toEqual([201, 201, 403]);
	expect(answers[2]?.body).toMatchObject({
		code: "customer_limit_reached",
		limit: "max_orders_per_day",
		limit_value: 2,
	});
	expect((await place(shop, { token: customer(shop) })).status).toBe(201);
});

test("cancelled orders count in the customer's share", async () => {
	const shop = await newShop(10);
	const token = customer(shop);
	for (let n = 0; n < 2; n += 1) {
		const { status, body } = await place(shop, { token });
		expect([status, (await cancelOwn(shop, body.id, { token })).status]).toEqual([201, 200]);
	}
	expect((await place(shop, { token })).body.code).toBe("customer_limit_reached");
	expect(await dayOf(shop)).toMatchObject({ orders: 2, cancelled: 2, active: 0 });
});

test.each([
	["one order where the limit is small", 3, 1],
	["no share where the limit is unlimited", -1, 4],
])("%s", async (_, limit, placed) => {
	const shop = await newShop(limit);
	const token = customer(shop);
	const answers = [];
	for (let n = 0; n < 4; n += 1) answers.push((await place(shop, { token })).status);
	expect(answers.filter((status) => status === 201)).toHaveLength(placed);
});

test.each([
	["of no outlet", {}],
	["of the headquarters", { is_hq_user: true, outlet_scope: "all" }],
] as const)("a customer %s has one share for all outlets together", async (_, claims) => {
	const outlets = ["ONE", "TWO", "THREE"].map((code) => ({ ...cafe.counter, id: randomUUID(), code }));
	const shop = await newShop(10, outlets);
	const token = cafe.token(shop.tenant, "member", { sub: randomUUID(), ...claims });
	const answers = [];
	for (const { id } of outlets) answers.push(await place(shop, { token, outlet: id }));
	expect(answers.map(({ status }) => status)).toEqual([201, 201, 403]);
	expect(answers[2]?.body.code).toBe("customer_limit_reached");
});

test("staff and API keys have no share", async () => {
	const shop = await newShop(10);
	const token = staff(shop);
	const key = await cafe.key(shop.tenant, ["ordering.orders.add"]);
	for (let n = 0; n < 5; n += 1) {
		expect((await place(shop, { token })).status).toBe(201);
		expect((await place(shop, { key })).status).toBe(201);
	}
	expect((await place(shop, { token })).body.code).toBe("limit_reached");
	expect((await place(shop, { key })).body.code).toBe("limit_reached");
});

test("a share starts again at the tenant's midnight", async () => {
	const shop = await newShop(5);
	const at = async (moment: string) => {
		cafe.clock.now = new Date(moment);
		const iat = cafe.clock.now.getTime() / 1_000;
		const sub = "11111111-1111-4111-8111-111111111111";
		const token = cafe.token(shop.tenant, "member", { sub, iat, exp: iat + 3_600 });
		return (await place(shop, { token })).status;
	};
	expect(await at("2027-03-01T20:59:58Z")).toBe(201);
	expect(await at("2027-03-01T20:59:59Z")).toBe(403);
	expect(await at("2027-03-01T21:00:00Z")).toBe(201);
});

test("a repetition under the same key returns the order after the share is used", async () => {
	const shop = await newShop(5);
	const token = customer(shop);
	const first = await place(shop, { token, idempotencyKey: "a" });
	expect((await place(shop, { token })).status).toBe(403);
	const again = await place(shop, { token, idempotencyKey: "a" });
	expect([again.status, again.body.id]).toEqual([200, first.body.id]);
});

test("of 40 parallel orders of one customer at two replicas exactly the share is placed", async () => {
	const shop = await newShop(25);
	const token = customer(shop);
	const answers = await Promise.all(
		upTo(40).map((n) => place(shop, { token, ...(n % 2 === 0 && { on: replica }) })),
	);
	expect(statusesOf(answers)).toEqual({ 201: 5, 403: 35 });
	expect(await dayOf(shop)).toEqual({ orders: 5, cancelled: 0, active: 5, numbers: upTo(5) });
});

test("parallel repetitions under one key place one order, also with one order left of the share", async () => {
	const shop = await newShop(5);
	const token = customer(shop);
	const answers = await Promise.all(
		upTo(12).map((n) => place(shop, { token, idempotencyKey: "b", ...(n % 2 === 0 && { on: replica }) })),
	);
	expect(statusesOf(answers)).toEqual({ 200: 11, 201: 1 });
	expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1);
});

test("parallel orders and cancellations never exceed the limit, lose none, and repeat no number", async () => {
	const shop = await newShop(6);
	const token = staff(shop);
	const held: string[] = [];
	const released = new Set<string>();
	for (let round = 0; round < 6; round += 1) {
		const cancelled = held.splice(0, 3);
		for (const id of cancelled) released.add(id);
		const [placed] = await Promise.all([
			Promise.all(upTo(12).map((n) => place(shop, { token, ...(n % 2 === 0 && { on: replica }) }))),
			// Each cancelled twice at once: it is released once.
			Promise.all(
				[...cancelled, ...cancelled].map((id, n) =>
					cancelOwn(shop, id, { token, ...(n % 2 === 0 && { on: replica }) }),
				),
			),
		]);
		held.push(...placed.filter(({ status }) => status === 201).map(({ body }) => body.id));
		expect(held.length).toBeLessThanOrEqual(6);
		const { orders, cancelled: gone, active, numbers } = await dayOf(shop);
		expect([gone, active, orders - gone]).toEqual([released.size, held.length, held.length]);
		expect(numbers).toEqual(upTo(orders));
	}
	// Released orders can be placed again: the limit can be used exactly.
	const rest = await Promise.all(upTo(10).map(() => place(shop, { token })));
	expect(held.length + rest.filter(({ status }) => status === 201).length).toBe(6);
});

type Step = { who: number; isCancel: boolean; which: number };

/** A shop with a limit of 10, one of the staff and three customers, beside a model of what it must do. */
async function openModel() {
	const shop = await newShop(10);
	const people = [staff(shop), customer(shop), customer(shop), customer(shop)];
	const active: Array<{ id: string; who: number }> = [];
	const placedBy = [0, 0, 0, 0];
	const refusalOf = (who: number) => {
		if (who !== 0 && (placedBy[who] ?? 0) >= 2) return "customer_limit_reached";
		return active.length >= 10 ? "limit_reached" : undefined;
	};
	const cancelOne = async (which: number) => {
		const [one] = active.splice(which % Math.max(1, active.length), 1);
		if (one === undefined) return;
		expect((await cancelOwn(shop, one.id, { token: String(people[one.who]) })).status).toBe(200);
	};
	const placeOne = async (who: number) => {
		const refusal = refusalOf(who);
		const { status, body } = await place(shop, { token: String(people[who]) });
		expect([status, body.code]).toEqual([refusal === undefined ? 201 : 403, refusal]);
		if (refusal !== undefined) return;
		placedBy[who] = (placedBy[who] ?? 0) + 1;
		active.push({ id: body.id, who });
		expect(body.number).toBe(placedBy.reduce((sum, one) => sum + one, 0));
	};
	return { step: ({ who, isCancel, which }: Step) => (isCancel ? cancelOne(which) : placeOne(who)) };
}

test("after any sequence of orders and cancellations the day counts the orders that are not cancelled, and every refusal is correct", async () => {
	const steps = fc.array(
		fc.record({
			who: fc.integer({ min: 0, max: 3 }),
			isCancel: fc.boolean(),
			which: fc.nat(),
		}),
		{ minLength: 10, maxLength: 30 },
	);
	await fc.assert(
		fc.asyncProperty(steps, async (taken) => {
			const model = await openModel();
			for (const one of taken) await model.step(one);
		}),
		{ numRuns: 12 },
	);
}, 60_000);

test("a cancelled order's usage report is taken back once, for the time of the order", async () => {
	const shop = await newShop(10);
	const token = staff(shop);
	const [kept, gone] = [(await place(shop, { token })).body, (await place(shop, { token })).body];
	await cancelOwn(shop, gone.id, { token });
	await cafe.jobs.runDue();
	await cafe.jobs.runDue();
	const reported = () => cafe.subscriptions.reported.filter(({ tenantId }) => tenantId === shop.tenant.id);
	expect(reported().map(({ id, value }) => [id, value])).toEqual([
		[`order:${kept.id}`, 1],
		[`order:${gone.id}`, 1],
		[`order:${gone.id}:cancelled`, -1],
	]);
	const [, placed, takenBack] = reported();
	expect(takenBack?.at).toBe(placed?.at);
	await cancelOwn(shop, kept.id, { token });
	await cafe.jobs.runDue();
	expect(reported().reduce((sum, { value }) => sum + value, 0)).toBe(0);
	await cafe.jobs.runDue();
	expect(reported()).toHaveLength(4);
});

test("a cancellation whose report was lost is found by the recovery scan", async () => {
	const shop = await newShop(10);
	const token = staff(shop);
	const { id } = (await place(shop, { token })).body;
	await cafe.jobs.runDue();
	await cancelOwn(shop, id, { token });
	await cafe.jobs.runDue();
	// Simulates a crash between sending and marking the report.
	await inTenant(cafe.database.db, shop.tenant.id, (tx) =>
		tx.query("update orders set cancellation_reported_at = null where id = $1", [id]),
	);
	cafe.clock.now = new Date(Date.now() + 16 * 60_000);
	await cafe.jobs.run("usage.report.sweep");
	await cafe.jobs.runDue();
	const ids = cafe.subscriptions.reported.map((one) => one.id);
	expect(ids.filter((one) => one === `order:${id}:cancelled`)).toHaveLength(2);
});
