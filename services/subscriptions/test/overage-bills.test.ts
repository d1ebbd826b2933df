import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { beforeEach, describe, expect, test } from "vitest";
import { receiveBillFailure, receiveBillPayment } from "../src/overage/bill-payment.ts";
import { until } from "./desk.ts";
import { settleAll } from "./settle-all.ts";
import { noon } from "./test-service.ts";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const limits = { max_orders_per_day: 10 };
const overage = { max_orders_per_day: { unit_price_minor: 250, cap: 5 } };
beforeEach(async () => {
	scene.tenantId = await scene.tenantWith({ limits, overage });
	await answers("silent");
});

const periodEnd = new Date("2026-03-20T00:00:00Z");
const dayMs = 86_400_000;
const pastEnd = (days: number) => new Date(periodEnd.getTime() + days * dayMs);
const failed: string[] = [];
const onError = (error: unknown, tenantId: string) =>
	void failed.push(`${tenantId} ${(error as Error).message}`);
/** The work of the jobs up to a time. */
const passAt = async (now: Date) => {
	scene.service.clock.now = now;
	await settleAll(scene.service, { now, onError });
};
const admin = () => scene.service.tokenOf(scene.tenantId, { roles: ["admin"] });
const answers = (answer: string) =>
	inTenant(scene.service.db, scene.tenantId, (tx) =>
		tx.query(
			`insert into sandbox_answers (tenant_id, answer) values ($1, $2)
			 on conflict (tenant_id) do update set answer = excluded.answer`,
			[scene.tenantId, answer],
		),
	);
type Wire = { id: string; status: string; amount_minor: number; attempt: number } & Record<string, unknown>;
const bills = async (query = "") => {
	const { status, body } = await scene.call({ path: `/subscription/bills${query}`, token: admin() });
	expect(status).toBe(200);
	return body as { items: Wire[]; next_cursor: string | null; total?: number };
};
const bill = async (): Promise<Wire> => {
	const [first] = (await bills()).items;
	if (first === undefined) throw new Error("the bill does not exist");
	return first;
};
const orders = (value: number, at = scene.service.clock.now) =>
	scene.report([{ id: randomUUID(), metric: "order_count", value, at: at.toISOString() }]);
const requested = () => eventsOf("subscription.billing.requested");
const eventsOf = async (wanted: string) => {
	const db = scene.service.db;
	await until(async () => {
		const rows = await db.query("select 1 from outbox where published_at is null limit 1");
		return rows.length === 0;
	});
	return [...scene.service.published.values()]
		.filter(({ type, tenantid }) => type === wanted && tenantid === scene.tenantId)
		.map(({ data }) => data as Record<string, unknown>);
};
const pay = async (more: object = {}) => {
	const { id, amount_minor } = await bill();
	const paid = { tenantId: scene.tenantId, operationId: id, paymentId: randomUUID(), currency: "KES" };
	await receiveBillPayment(scene.service.parts, { ...paid, amountMinor: BigInt(amount_minor), ...more });
};
const balance = async () => {
	const [row] = await scene.rows<{ balance: number }>(
		"select balance_minor::float8 as balance from subscriptions where tenant_id = $1",
		[scene.tenantId],
	);
	return row?.balance;
};

describe("the overage of a period that has ended", () => {
	test("is billed once at the price of its lines, and requested in the same transaction", async () => {
		await orders(12);
		await passAt(new Date(periodEnd.getTime() - 1));
		expect((await bills()).items).toEqual([]);
		await passAt(periodEnd);
		await passAt(pastEnd(0.5));
		expect((await bills()).items).toEqual([
			{
				id: expect.any(String),
				period_ends_at: periodEnd.toISOString(),
				status: "requested",
				charge_minor: 500,
				balance_minor: 0,
				amount_minor: 500,
				currency: "KES",
				lines: [{ metric: "order_count", units: 2, unit_price_minor: 250, amount_minor: 500 }],
				attempt: 1,
				next_attempt_at: pastEnd(1).toISOString(),
				failure: null,
				billed_at: periodEnd.toISOString(),
				settled_at: null,
			},
		]);
		expect(await requested()).toEqual([
			{
				operation_id: (await bill()).id,
				tenant_id: scene.tenantId,
				kind: "overage",
				attempt: 1,
				amount_minor: 500,
				currency: "KES",
				lines: [{ what: "overage", code: "order_count", amount_minor: 500 }],
				// 15 days after the bill: the last attempt is 14 days after it.
				expires_at: "2026-04-04T00:00:00.000Z",
			},
		]);
	});

	test("is not billed if there is none", async () => {
		await orders(10);
		await passAt(periodEnd);
		expect((await bills()).items).toEqual([]);
	});

	test("is billed as stored, whatever the plan's next version charges", async () => {
		await orders(11);
		await scene.service.db.query(
			`insert into plan_versions (plan_code, version, bundle_code, price_minor, currency, billing_interval, trial_days,
			                            grace_days, features, limits, overage)
			 select v.plan_code, 2, v.bundle_code, 1, 'KES', 'month', 14, 7, '{}', v.limits, '{"max_orders_per_day":{"unit_price_minor":9999,"cap":5}}'
			   from plan_versions v where v.plan_code = $1`,
			[(await scene.call({ path: "/subscription" })).body["plan"]],
		);
		await passAt(periodEnd);
		expect(await bill()).toMatchObject({ amount_minor: 250 });
	});

	test("reported late is billed with the next period, the last time with the grace period", async () => {
		await orders(11);
		await passAt(periodEnd);
		scene.service.clock.now = pastEnd(1);
		await orders(12, new Date(periodEnd.getTime() - 5 * dayMs));
		await orders(13);
		await passAt(pastEnd(2));
		expect((await bills()).items).toHaveLength(1);
		// 14 days of retries and a grace period of 7 days after the end of the period.
		await passAt(pastEnd(21));
		const { items } = await bills();
		expect(items.map(({ charge_minor, period_ends_at }) => [period_ends_at, charge_minor])).toEqual([
			[pastEnd(21).toISOString(), 1_250],
			[periodEnd.toISOString(), 250],
		]);
	});

	test("is billed once on five concurrent replicas", async () => {
		await orders(12);
		scene.service.clock.now = periodEnd;
		await Promise.all([1, 2, 3, 4, 5].map(() => passAt(periodEnd)));
		expect((await bills()).items).toHaveLength(1);
		expect(await requested()).toHaveLength(1);
	});

	test("uses the tenant's credit first, and what it covers is not requested", async () => {
		await orders(12);
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query("update subscriptions set balance_minor = 700, balance_currency = 'KES'"),
		);
		await passAt(periodEnd);
		expect(await bill()).toMatchObject({
			status: "paid",
			charge_minor: 500,
			balance_minor: 500,
			amount_minor: 0,
		});
		expect([await balance(), await requested()]).toEqual([200, []]);
	});

	test("uses the available credit, and the rest is requested", async () => {
		await orders(12);
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query("update subscriptions set balance_minor = 100, balance_currency = 'KES'"),
		);
		await passAt(periodEnd);
		expect(await bill()).toMatchObject({ status: "requested", balance_minor: 100, amount_minor: 400 });
		const lines = (await requested())[0]?.["lines"];
		expect(lines).toContainEqual({ what: "balance", code: "balance", amount_minor: -100 });
	});

	test("in two currencies has two bills, and credit pays the one in its own", async () => {
		await orders(12);
		await inTenant(scene.service.db, scene.tenantId, async (tx) => {
			await tx.query(
				`insert into overage_lines (tenant_id, metric, period_starts_at, unit_price_minor, currency, units)
				 select tenant_id, metric, period_starts_at, 3, 'USD', 4 from overage_lines`,
			);
			await tx.query("update subscriptions set balance_minor = 100, balance_currency = 'KES'");
		});
		await passAt(periodEnd);
		const { items } = await bills();
		const sums = items.map(({ currency, charge_minor, balance_minor, amount_minor }) => [
			currency,
			charge_minor,
			balance_minor,
			amount_minor,
		]);
		expect(sums.sort()).toEqual([
			["KES", 500, 100, 400],
			["USD", 12, 0, 12],
		]);
		expect((await requested()).map(({ currency, amount_minor }) => [currency, amount_minor]).sort()).toEqual([
			["KES", 400],
			["USD", 12],
		]);
	});

	test("of a tenant that never paid is not billed until its first paid period", async () => {
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query(
				`update subscriptions set trial_started_at = period_started_at, trial_ends_at = period_ends_at,
				                          period_started_at = null, period_ends_at = null, version = version + 1`,
			),
		);
		await orders(12);
		await passAt(pastEnd(100));
		expect((await bills()).items).toEqual([]);
	});
});

describe("a bill", () => {
	beforeEach(async () => {
		await orders(12);
	});

	test("is paid by the sandbox over events, once", async () => {
		await answers("pays");
		await passAt(periodEnd);
		await until(async () => (await bill()).status === "paid");
		expect(await bill()).toMatchObject({ settled_at: periodEnd.toISOString(), next_attempt_at: null });
		await passAt(pastEnd(20));
		expect([(await bill()).attempt, await balance()]).toEqual([1, 0]);
	});

	test("is requested after 1, 3, 5, 7, 10 and 14 days and unpaid a day later; the plan stays", async () => {
		await answers("refuses");
		const before = await scene.call({ path: "/subscription" });
		for (const day of [0, 1, 2, 3, 5, 7, 10, 13.9]) await passAt(pastEnd(day));
		expect(await bill()).toMatchObject({ status: "requested", attempt: 6 });
		await passAt(pastEnd(14));
		expect((await requested()).map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4, 5, 6, 7]);
		await until(async () => (await bill())["failure"] !== null);
		await passAt(pastEnd(15));
		await passAt(pastEnd(40));
		expect(await bill()).toMatchObject({
			status: "unpaid",
			attempt: 7,
			failure: "refused_by_sandbox",
			next_attempt_at: null,
		});
		expect(await eventsOf("subscription.overage_unpaid")).toEqual([
			{
				operation_id: (await bill()).id,
				tenant_id: scene.tenantId,
				attempt: 7,
				amount_minor: 500,
				currency: "KES",
				period_ends_at: periodEnd.toISOString(),
				failure: "refused_by_sandbox",
			},
		]);
		const now = await scene.call({ path: "/subscription" });
		expect([now.body["plan"], now.body["limits"]]).toEqual([before.body["plan"], before.body["limits"]]);
	});

	test("with several missed requests is requested again before it is unpaid", async () => {
		await passAt(periodEnd);
		await passAt(pastEnd(30));
		expect(await bill()).toMatchObject({ attempt: 2, next_attempt_at: pastEnd(31).toISOString() });
		expect(await eventsOf("subscription.overage_unpaid")).toEqual([]);
		await passAt(pastEnd(31));
		expect(await bill()).toMatchObject({ status: "unpaid", attempt: 2 });
	});

	test("that is unpaid can still be paid late", async () => {
		for (const day of [0, 30, 31]) await passAt(pastEnd(day));
		await pay();
		expect(await bill()).toMatchObject({ status: "paid", settled_at: pastEnd(31).toISOString() });
	});

	test("is paid once by a repeated event, and a second payment becomes credit", async () => {
		await passAt(periodEnd);
		const paymentId = randomUUID();
		await pay({ paymentId });
		await pay({ paymentId });
		expect([(await bill()).status, await balance()]).toEqual(["paid", 0]);
		await pay();
		expect(await balance()).toBe(500);
	});

	test("is not paid by another amount, which becomes credit", async () => {
		await passAt(periodEnd);
		await pay({ amountMinor: 499n });
		expect([(await bill()).status, await balance()]).toEqual(["requested", 499]);
	});

	test("is not paid in another currency, which does not become credit either", async () => {
		await passAt(periodEnd);
		await expect(pay({ currency: "USD" })).rejects.toThrow(
			"in USD cannot be credit of a subscription in KES",
		);
		expect([(await bill()).status, await balance()]).toEqual(["requested", 0]);
	});

	test("of another tenant is not paid, and an unknown one is ignored", async () => {
		await passAt(periodEnd);
		await pay({ tenantId: randomUUID() });
		await pay({ operationId: randomUUID() });
		const refused = { tenantId: scene.tenantId, operationId: randomUUID(), attempt: 1, reason: "no money" };
		await receiveBillFailure(scene.service.db, refused);
		expect(await bill()).toMatchObject({ status: "requested", failure: null });
	});
});

describe("the list of bills", () => {
	test("has pages, latest period first, each bill once", async () => {
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query(
				`insert into overage_bills (id, tenant_id, period_ends_at, currency, charge_minor, balance_minor, amount_minor, lines,
				                            status, attempt, billed_at, settled_at)
				 select gen_random_uuid(), $1, $2::timestamptz + n * interval '1 day', 'KES', n, 0, n, '[]', 'paid', 1, $2, $2
				   from generate_series(1, 5) n
				 on conflict do nothing`,
				[scene.tenantId, noon],
			),
		);
		const amounts: number[] = [];
		let cursor: string | null = null;
		do {
			const page: Awaited<ReturnType<typeof bills>> = await bills(
				`?limit=2&total=true${cursor === null ? "" : `&cursor=${cursor}`}`,
			);
			expect(page.total).toBe(5);
			amounts.push(...page.items.map(({ amount_minor }) => amount_minor));
			cursor = page.next_cursor;
		} while (cursor !== null);
		expect(amounts).toEqual([5, 4, 3, 2, 1]);
	});

	test.each([
		["?limit=0", "limit"],
		["?cursor=first", "cursor"],
		["?page=2", "page"],
	])("requested with %s is refused, naming %s", async (query, field) => {
		const { status, body } = await scene.call({ path: `/subscription/bills${query}`, token: admin() });
		expect([status, body["code"], body["field"]]).toEqual([400, "invalid_input", field]);
	});
});

test("no settlement failed unexpectedly", () => {
	expect(failed).toEqual([]);
});
