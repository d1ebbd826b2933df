import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { publishDueWarnings, publishLimitWarning } from "../src/usage/limit-warning.ts";
import { noon } from "./test-service.ts";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const warnings = async () =>
	(
		await scene.service.db.query<{ data: Record<string, unknown> }>(
			`select envelope->'data' as data from outbox
			  where type = 'subscription.limit_warning' and subject = $1 order by position`,
			[scene.tenantId],
		)
	).map(({ data }) => data);
const percentages = async () => (await warnings()).map(({ percent, used }) => [percent, used]);
const orders = (value: number) =>
	scene.report([
		{ id: randomUUID(), metric: "order_count", value, at: scene.service.clock.now.toISOString() },
	]);
const rider = { limit: "max_riders", metric: "rider_count" };
/** The platform owner sets the tenant's limit of riders. */
async function setRiders(max: number): Promise<void> {
	const token = scene.service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" });
	const answer = await scene.service.app.inject({
		method: "PUT",
		url: `/api/v1/admin/tenants/${scene.tenantId}/overrides`,
		headers: { authorization: `Bearer ${token}` },
		payload: { features: {}, products: [], limits: { max_riders: max }, because: "a test" },
	});
	expect(answer.statusCode).toBe(200);
}

describe("a limit warning", () => {
	test("is published at 80 % and at 100 %, once a day each", async () => {
		for (const value of [799, 1, 5, 194, 1, 3]) await orders(value);
		expect(await warnings()).toEqual([
			{
				tenant_id: scene.tenantId,
				metric: "order_count",
				limit: "max_orders_per_day",
				limit_value: 1_000,
				used: 800,
				percent: 80,
				window: "day:2026-03-01",
			},
			expect.objectContaining({ percent: 100, used: 1_000 }),
		]);
		scene.service.clock.now = new Date(noon.getTime() + 86_400_000);
		await orders(800);
		expect((await percentages()).at(-1)).toEqual([80, 800]);
		expect(await percentages()).toHaveLength(3);
	});

	test("is published for consumption, too, once even after a release", async () => {
		const id = randomUUID();
		await scene.consume(12, { id, ...rider });
		await scene.call({ method: "DELETE", path: `/usage/consume/${id}` });
		await scene.consume(12, rider);
		expect(await percentages()).toEqual([[80, 12]]);
		expect(await warnings()).toMatchObject([{ window: "period:2026-02-20T00:00:00.000Z" }]);
	});

	test("of existing things is published again in the next period", async () => {
		await scene.consume(12, rider);
		scene.service.clock.now = new Date("2026-03-21T00:00:00Z");
		await scene.consume(1, rider);
		expect(await percentages()).toEqual([
			[80, 12],
			[80, 13],
		]);
	});

	test("starts again with a higher limit", async () => {
		await scene.consume(15, rider);
		await setRiders(100);
		for (const value of [1, 63, 1, 20]) await scene.consume(value, rider);
		expect(await percentages()).toEqual([
			[100, 15],
			[80, 80],
			[100, 100],
		]);
		await setRiders(-1);
		await scene.consume(1, rider);
		expect(await percentages()).toHaveLength(3);
	});

	test("is not published again when the limit was lowered and restored", async () => {
		await scene.consume(12, rider);
		for (const limit of [10, 15, 14, 15]) {
			await setRiders(limit);
			await scene.report([{ id: randomUUID(), metric: "rider_count", value: 0, at: noon.toISOString() }]);
		}
		expect(await percentages()).toEqual([
			[80, 12],
			[100, 12],
		]);
	});

	test("that reaches both percentages at once is published for 100 %", async () => {
		await orders(1_200);
		expect(await percentages()).toEqual([[100, 1_200]]);
	});

	test("is published once when concurrent requests reach it", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_orders_per_day: 10 } });
		await Promise.all(Array.from({ length: 30 }, () => scene.consume(1)));
		const percents = (await percentages()).map(([percent]) => percent);
		expect(percents.filter((percent) => percent === 100)).toHaveLength(1);
		expect(percents.filter((percent) => percent === 80).length).toBeLessThanOrEqual(1);
	});

	test("is not published for a limit of 0, an unlimited one, or a metric without a limit", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_orders_per_day: -1, max_riders: 0 } });
		await orders(1_000_000);
		await scene.report([
			{ id: randomUUID(), metric: "rider_count", value: 5, at: noon.toISOString() },
			{ id: randomUUID(), metric: "api_call_count", value: 5, at: noon.toISOString() },
		]);
		expect(await warnings()).toEqual([]);
	});

	test("that was missed because a process died is published by the schedule, once", async () => {
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query(
				`insert into usage_counters (tenant_id, metric, window_key, starts_at, used, limit_value, warned_for, due_percent)
				 values ($1, 'order_count', 'day:2026-03-01', $2, 900, 1000, 'day:2026-03-01', 80)`,
				[scene.tenantId, noon],
			),
		);
		expect(await publishDueWarnings(scene.service.db, noon)).toBe(1);
		expect(await publishDueWarnings(scene.service.db, noon)).toBe(0);
		expect(await percentages()).toEqual([[80, 900]]);
	});

	test("is not marked as published if its event was not recorded", async () => {
		await orders(850);
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query("update usage_counters set warned_percent = 0 where tenant_id = $1", [scene.tenantId]),
		);
		const near = { tenantId: scene.tenantId, metric: "order_count", windowKey: "day:2026-03-01" };
		// An invalid time makes the event fail.
		await expect(publishLimitWarning(scene.service.db, near, new Date(Number.NaN))).rejects.toThrow();
		expect(
			await scene.rows("select warned_percent from usage_counters where tenant_id = $1", [scene.tenantId]),
		).toEqual([{ warned_percent: 0 }]);
	});
});
