import { randomUUID } from "node:crypto";
import { acrossTenants, inTenant, openPool } from "@lango/postgres";
import { testTenant } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeEach, describe, expect, test } from "vitest";
import { recordOrder } from "../src/orders/order.store.ts";
import { openCafe } from "./cafe.ts";

const cafe = setUp(openCafe);
beforeEach(() => {
	cafe.clock.now = undefined;
});

const rows = <R extends Record<string, unknown>>(text: string, values: unknown[] = []) =>
	acrossTenants(cafe.database.db, (tx) => tx.query<R>(text, values));

/** A tenant without orders, with this limit of orders a day and one item on its menu. */
async function newTenant(limit: number | undefined, more: Parameters<typeof testTenant>[1] = {}) {
	const tenant = testTenant(`t-${randomUUID().slice(0, 8)}`, more);
	cafe.issuer.tenants.push(tenant);
	cafe.limit(tenant, limit);
	return { tenant, item: await cafe.item(tenant) };
}

type Shop = Awaited<ReturnType<typeof newTenant>>;
const order = ({ tenant, item }: Shop, { role = "staff", headers = {} } = {}) =>
	cafe.call({
		method: "POST",
		url: `/api/v1/${tenant.slug}/orders`,
		token: cafe.token(tenant, role, { sub: subject, iat: issued(), exp: issued() + 3_600 }),
		headers,
		body: { lines: [{ item_id: item }] },
	});
const cancel = ({ tenant }: Shop, id: string) =>
	cafe.call({
		method: "PATCH",
		url: `/api/v1/${tenant.slug}/orders/${id}`,
		token: cafe.token(tenant, "staff", { permissions: ["orders:read", "orders:change"] }),
		body: { status: "cancelled" },
	});
const subject = randomUUID();
const issued = () => Math.floor((cafe.clock.now ?? new Date()).getTime() / 1_000);

describe("max_orders_per_day", () => {
	test("refuses the order beyond it, names the limit, and records nothing", async () => {
		const shop = await newTenant(2);
		const answers = [await order(shop), await order(shop), await order(shop)];
		expect(answers.map(({ status }) => status)).toEqual([201, 201, 403]);
		expect(answers[2]?.body).toMatchObject({
			code: "limit_reached",
			limit: "max_orders_per_day",
			limit_value: 2,
			error: "The limit max_orders_per_day of the current plan is reached.",
		});
		const [count] = await rows("select count(*)::int as orders from orders where tenant_id = $1", [
			shop.tenant.id,
		]);
		expect(count).toEqual({ orders: 2 });
	});

	test.each([
		["missing in the plan means no orders", "none", 403],
		["of 0 means no orders", 0, 403],
		["of -1 means unlimited", -1, 201],
	])("%s", async (_, limit, status) => {
		const shop = await newTenant(limit === "none" ? undefined : Number(limit));
		expect((await order(shop)).status).toBe(status);
	});

	test("does not apply to superusers, and their orders are counted", async () => {
		const shop = await newTenant(1);
		const root = { token: cafe.token(cafe.lango, "superuser") };
		const body = { lines: [{ item_id: shop.item }] };
		const url = `/api/v1/${shop.tenant.slug}/orders`;
		for (const number of [1, 2])
			expect(await cafe.call({ method: "POST", url, ...root, body })).toMatchObject({
				status: 201,
				body: { number },
			});
		expect((await order(shop)).body.code).toBe("limit_reached");
	});

	test("does not count cancelled orders, whose numbers are not reused, or orders refused for another reason", async () => {
		const shop = await newTenant(2);
		const refused = await order(shop, { headers: { "x-outlet-id": randomUUID() } });
		expect(refused.status).toBe(404);
		const { id } = (await order(shop)).body;
		for (let again = 0; again < 3; again += 1) expect((await cancel(shop, id)).status).toBe(200);
		const answers = [await order(shop), await order(shop), await order(shop)];
		expect(answers.map(({ status, body }) => [status, body.number])).toEqual([
			[201, 2],
			[201, 3],
			[403, undefined],
		]);
	});

	test("is unknown while the subscription service is unavailable: 503, not a refusal", async () => {
		const shop = await newTenant(-1);
		cafe.clock.now = new Date(Date.now() + 3_600_000);
		cafe.subscriptions.brokenWith = 500;
		const { status, body } = await order(shop);
		cafe.subscriptions.brokenWith = undefined;
		expect([status, body.code]).toEqual([503, "entitlements_unavailable"]);
	});

	test("starts again at the tenant's midnight, not at the server's", async () => {
		const shop = await newTenant(1, { time_zone: "Africa/Nairobi" });
		const at = async (moment: string) => {
			cafe.clock.now = new Date(moment);
			const { status, body } = await order(shop);
			return [status, body.ordered_on];
		};
		expect(await at("2027-03-01T20:59:59Z")).toEqual([201, "2027-03-01"]);
		expect(await at("2027-03-01T20:59:59.999Z")).toEqual([403, undefined]);
		expect(await at("2027-03-01T21:00:00Z")).toEqual([201, "2027-03-02"]);
		expect(await at("2027-03-02T00:00:01Z")).toEqual([403, undefined]);
	});
});

describe("of 400 parallel orders on 16 connections", () => {
	test("a limit of 50 admits exactly 50, numbered 1 to 50", async () => {
		const { tenant } = await newTenant(-1);
		const db = openPool({ url: cafe.database.url, name: "race", sizeMax: 16, onIdleError: () => {} });
		const place = () =>
			inTenant(db, tenant.id, (tx) =>
				recordOrder(tx, {
					tenantId: tenant.id,
					placedBy: { kind: "user", id: randomUUID() },
					customerId: null,
					outletId: undefined,
					totalMinor: 1n,
					idempotencyKey: undefined,
					fingerprint: Buffer.alloc(32),
					limit: 50,
					now: new Date("2027-01-01T12:00:00Z"),
				}),
			);
		try {
			const caller = async () => {
				const placed = [];
				for (let attempt = 0; attempt < 25; attempt += 1) placed.push(await place());
				return placed;
			};
			const placed = (await Promise.all(Array.from({ length: 16 }, caller))).flat();
			expect(placed).toHaveLength(400);
			const numbers = placed.flatMap((one) => (one === undefined ? [] : [one.number]));
			expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
			const [{ orders } = { orders: 0 }] = await rows<{ orders: number }>(
				"select orders from order_days where tenant_id = $1",
				[tenant.id],
			);
			expect(orders).toBe(50);
		} finally {
			await db.close();
		}
	});

	test("also over HTTP at two replicas", async () => {
		const shop = await newTenant(5);
		const other = await cafe.replica(8);
		const send = (_: unknown, index: number) =>
			cafe.call({
				method: "POST",
				url: `/api/v1/${shop.tenant.slug}/orders`,
				token: cafe.token(shop.tenant, "staff"),
				body: { lines: [{ item_id: shop.item }] },
				...(index % 2 === 0 && { on: other }),
			});
		const answers = await Promise.all(Array.from({ length: 60 }, send));
		const count = (status: number) => answers.filter((one) => one.status === status).length;
		expect([count(201), count(403)]).toEqual([5, 55]);
	});
});

const zones = [
	"Africa/Nairobi",
	"America/New_York",
	"America/Sao_Paulo",
	"America/St_Johns",
	"Asia/Kathmandu",
	"Australia/Lord_Howe",
	"Europe/London",
	"Pacific/Apia",
	"Pacific/Chatham",
	"Pacific/Kiritimati",
	"UTC",
];

test("an order counts on the date in the tenant's time zone, also around clock changes", async () => {
	const counted = await newTenant(-1);
	const { id } = counted.tenant;
	const moments = fc.oneof(
		fc.date({ min: new Date("2005-01-01"), max: new Date("2026-12-31"), noInvalidDate: true }),
		// Around the clock changes of these zones, and the change of the date line at Apia.
		fc
			.tuple(
				fc.constantFrom("2011-12-30T10:00Z", "2018-11-04T03:00Z", "2024-03-10T07:00Z", "2024-10-27T01:00Z"),
				fc.integer({ min: -50_000_000, max: 50_000_000 }),
			)
			.map(([moment, offset]) => new Date(Date.parse(moment) + offset)),
	);
	await fc.assert(
		fc.asyncProperty(fc.constantFrom(...zones), moments, async (timeZone, now) => {
			const [expected, placed] = await inTenant(cafe.db, id, async (tx) => {
				await tx.query("update tenants set time_zone = $2 where id = $1", [id, timeZone]);
				const before = await tx.query<{ orders: number }>(
					"select orders from order_days where ordered_on = $1",
					[dateIn(timeZone, now)],
				);
				const order = await recordOrder(tx, {
					tenantId: id,
					placedBy: { kind: "user", id: randomUUID() },
					customerId: null,
					outletId: undefined,
					totalMinor: 1n,
					idempotencyKey: undefined,
					fingerprint: Buffer.alloc(32),
					limit: -1,
					now,
				});
				return [(before[0]?.orders ?? 0) + 1, order] as const;
			});
			expect(placed).toMatchObject({ orderedOn: dateIn(timeZone, now), number: expected });
		}),
		{ numRuns: 150 },
	);
}, 60_000);

/** The date by JavaScript's calendar, which is independent of PostgreSQL's. */
const dateIn = (timeZone: string, at: Date) =>
	new Intl.DateTimeFormat("en-CA", { timeZone, year: "numeric", month: "2-digit", day: "2-digit" }).format(
		at,
	);

test("an order that is not committed is not counted", async () => {
	const { tenant } = await newTenant(-1);
	const failing = inTenant(cafe.db, tenant.id, async (tx) => {
		await recordOrder(tx, {
			tenantId: tenant.id,
			placedBy: { kind: "user", id: randomUUID() },
			customerId: null,
			outletId: undefined,
			totalMinor: 1n,
			idempotencyKey: undefined,
			fingerprint: Buffer.alloc(32),
			limit: 1,
			now: new Date(),
		});
		throw new Error("after it was counted");
	});
	await expect(failing).rejects.toThrow("after it was counted");
	expect(await rows("select from order_days where tenant_id = $1", [tenant.id])).toEqual([]);
});
