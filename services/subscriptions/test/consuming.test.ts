import { randomUUID } from "node:crypto";
import type { BuiltService } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { purgeUsage } from "../src/usage/purge-usage.ts";
import { noon } from "./test-service.ts";
import { setUsageScene, subscribe } from "./usage-scene.ts";

const scene = setUsageScene();
const day = 86_400_000;
const release = (id: string, tenantId = scene.tenantId) =>
	scene.call({ method: "DELETE", path: `/usage/consume/${id}`, tenantId });
const riders = (id: string = randomUUID(), value = 1) =>
	scene.consume(value, { id, limit: "max_riders", metric: "rider_count" });
const changePlan = (plan: string) =>
	inTenant(scene.service.db, scene.tenantId, (tx) =>
		tx.query(
			`update subscriptions set version = version + 1,
			        plan_version_id = (select id from plan_versions where plan_code = $2 order by version desc limit 1)
			  where tenant_id = $1`,
			[scene.tenantId, plan],
		),
	);

describe("consuming", () => {
	test("uses what is available and returns the state of the limit", async () => {
		const id = randomUUID();
		const answer = await scene.consume(400, { id });
		expect(answer).toEqual({
			status: 200,
			body: {
				id,
				value: 400,
				repeated: false,
				usage: {
					metric: "order_count",
					used: 400,
					limit: "max_orders_per_day",
					limit_value: 1_000,
					remaining: 600,
					overage: 0,
					window: "day",
					starts_at: "2026-02-28T21:00:00.000Z",
					ends_at: "2026-03-01T21:00:00.000Z",
					time_zone: "Africa/Nairobi",
				},
			},
		});
	});

	test("that would exceed the limit is refused with its name and uses nothing; a smaller one still succeeds", async () => {
		await scene.consume(999);
		expect(await scene.consume(2)).toEqual({
			status: 403,
			body: {
				error: "The limit max_orders_per_day of the current plan is reached.",
				code: "limit_reached",
				limit: "max_orders_per_day",
				limit_value: 1_000,
				used: 999,
				metric: "order_count",
				request_id: expect.any(String),
			},
		});
		expect(await scene.consume(1)).toMatchObject({
			status: 200,
			body: { usage: { used: 1_000, remaining: 0 } },
		});
		expect(await scene.consume(1)).toMatchObject({ status: 403, body: { used: 1_000 } });
	});

	test("with one id counts once, even if the limit was reached since", async () => {
		const id = randomUUID();
		await scene.consume(1_000, { id });
		expect(await scene.consume(1_000, { id })).toMatchObject({
			status: 200,
			body: { repeated: true, usage: { used: 1_000 } },
		});
	});

	test("starts at 0 each day", async () => {
		await scene.consume(1_000);
		scene.service.clock.now = new Date("2026-03-01T20:59:59.999Z");
		expect((await scene.consume()).status).toBe(403);
		scene.service.clock.now = new Date("2026-03-01T21:00:00Z");
		expect(await scene.consume()).toMatchObject({ status: 200, body: { usage: { used: 1 } } });
	});

	test("of existing things lasts until it is released, across days and periods", async () => {
		const ids = Array.from({ length: 15 }, () => randomUUID());
		for (const id of ids) expect((await riders(id)).status).toBe(200);
		scene.service.clock.now = new Date(noon.getTime() + 25 * day);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 900 * day));
		expect(await riders()).toMatchObject({ status: 403, body: { limit: "max_riders", used: 15 } });
		await release(ids[0] ?? "");
		expect((await riders()).status).toBe(200);
	});

	test("of a limit that the plan lacks, or sets to 0, is refused", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_riders: 0 } });
		expect(await riders()).toMatchObject({ status: 403, body: { limit_value: 0, used: 0 } });
		expect(await scene.consume()).toMatchObject({ status: 403, body: { limit_value: 0, used: 0 } });
	});

	test("of an unlimited limit is never refused", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_riders: -1 } });
		expect(await riders(randomUUID(), 1_000_000)).toMatchObject({
			status: 200,
			body: { usage: { limit_value: -1, remaining: null } },
		});
	});

	test("uses the current plan, even right after a change", async () => {
		await scene.consume(100);
		await changePlan("STARTER");
		expect(await scene.consume()).toMatchObject({ status: 403, body: { limit_value: 100 } });
		await changePlan("PROFESSIONAL");
		expect(await scene.consume()).toMatchObject({ status: 200, body: { usage: { limit_value: 10_000 } } });
	});
});

describe("releasing", () => {
	test("frees what was consumed, once per id", async () => {
		const id = randomUUID();
		await riders(id, 10);
		expect([(await release(id)).status, (await release(id)).status]).toEqual([204, 204]);
		expect(await scene.usageOf("rider_count")).toMatchObject({ used: 0 });
	});

	test("before the consumption makes it impossible", async () => {
		const id = randomUUID();
		expect((await release(id)).status).toBe(204);
		expect(await riders(id)).toMatchObject({
			status: 409,
			body: { code: "consumption_released", field: "id" },
		});
		expect(await scene.usageOf("rider_count")).toMatchObject({ used: 0 });
	});

	test("of yesterday's consumption frees nothing today", async () => {
		const id = randomUUID();
		await scene.consume(1_000, { id });
		scene.service.clock.now = new Date(noon.getTime() + day);
		await scene.consume(7);
		await release(id);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 7 });
	});

	test("of a consumption is possible until its period ends, however long that is", async () => {
		const id = randomUUID();
		const orders = { limit: "max_orders_per_day", metric: "order_count" };
		await scene.consume(5, { id, ...orders });
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 200 * day));
		await release(id);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0 });
	});

	test("is kept for 8 days, and a consumption for 40 days and until its period ends", async () => {
		await release(randomUUID());
		await scene.consume(5);
		const rowsOf = () =>
			scene.rows("select value::int from usage_consumptions where tenant_id = $1", [scene.tenantId]);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 8 * day + 1));
		expect(await rowsOf()).toEqual([{ value: 5 }]);
		await inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query("update subscriptions set period_started_at = '2026-03-19', version = version + 1"),
		);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 40 * day));
		expect(await rowsOf()).toEqual([{ value: 5 }]);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 40 * day + 1));
		expect(await rowsOf()).toEqual([]);
	});

	test("of another tenant's id frees nothing", async () => {
		const id = randomUUID();
		await riders(id, 3);
		const other = randomUUID();
		await subscribe(scene.service, other, "GROWTH");
		expect((await release(id, other)).status).toBe(204);
		expect(await scene.usageOf("rider_count")).toMatchObject({ used: 3 });
	});
});

describe("at once", () => {
	/** Two replicas with ten connections each, as fair as PostgreSQL's queues. */
	const race = async (work: (on: BuiltService, at: number) => Promise<unknown>, count: number) => {
		// Terms are cached, as in production, so that a stale cache would be noticed.
		const environment = { SUBSCRIPTIONS_DATABASE_CONNECTIONS_MAX: "10", NODE_ENV: "production" };
		const [one, other] = [await scene.service.again(environment), await scene.service.again(environment)];
		try {
			await Promise.all(Array.from({ length: count }, (_, at) => work(at % 2 === 0 ? one : other, at)));
		} finally {
			await one.close();
			await other.close();
		}
	};
	const consumeOn = (on: BuiltService, id: string, value = 1) =>
		scene.call({
			method: "POST",
			path: "/usage/consume",
			on,
			body: { id, limit: "max_orders_per_day", metric: "order_count", value },
		});

	test("fifty concurrent consumers of one tenant use exactly the limit, evenly and without long waits", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_orders_per_day: 300 } });
		const taken = Array.from({ length: 50 }, () => 0);
		let refused = 0;
		let longestMs = 0;
		await race(async (on, at) => {
			for (let attempt = 0; attempt < 8; attempt += 1) {
				const initial = performance.now();
				const { status } = await consumeOn(on, randomUUID());
				longestMs = Math.max(longestMs, performance.now() - initial);
				if (status === 200) taken[at] = (taken[at] ?? 0) + 1;
				else refused += 1;
			}
		}, 50);
		expect(taken.reduce((sum, one) => sum + one, 0)).toBe(300);
		expect(refused).toBe(100);
		expect(Math.min(...taken)).toBeGreaterThan(0);
		expect(longestMs).toBeLessThan(10_000);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 300, remaining: 0, overage: 0 });
	});

	test("fifty requests with the same id count once", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_orders_per_day: 1 } });
		const id = randomUUID();
		const answers: boolean[] = [];
		await race(async (on) => {
			const { status, body } = await consumeOn(on, id);
			expect(status).toBe(200);
			answers.push(body["repeated"] === true);
		}, 50);
		expect(answers.filter((repeated) => !repeated)).toHaveLength(1);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 1 });
	});

	test("consuming and releasing the same ids concurrently leaves nothing consumed", async () => {
		const ids = Array.from({ length: 25 }, () => randomUUID());
		await race(async (on, at) => {
			const id = ids[at % 25] ?? "";
			if (at < 25) expect([200, 409]).toContain((await consumeOn(on, id)).status);
			else
				expect((await scene.call({ method: "DELETE", path: `/usage/consume/${id}`, on })).status).toBe(204);
		}, 50);
		for (const id of ids) await release(id);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0 });
	});

	test("a concurrent change of the plan takes effect at once", async () => {
		scene.tenantId = await scene.tenantWith({ limits: { max_orders_per_day: 10_000 } });
		let changed = false;
		const late: number[] = [];
		const consumeFive = async (on: BuiltService) => {
			const isAfter = changed;
			const { status, body } = await consumeOn(on, randomUUID(), 5);
			expect([200, 403]).toContain(status);
			const usage = (body["usage"] ?? body) as { limit_value: number };
			if (isAfter) late.push(usage.limit_value);
		};
		await race(async (on, at) => {
			for (let attempt = 0; attempt < 6; attempt += 1) {
				if (at === 0 && attempt === 2) {
					await changePlan("STARTER");
					changed = true;
				}
				await consumeFive(on);
			}
		}, 20);
		expect(late.length).toBeGreaterThan(10);
		expect(new Set(late)).toEqual(new Set([100]));
	});
});

describe("refused", () => {
	test.each<[string, object, string]>([
		["an unknown metric", { metric: "moon_phase" }, "metric_unknown metric"],
		["a limit of another metric", { limit: "max_riders" }, "limit_differs limit"],
		["nothing", { value: 0 }, "invalid_input value"],
		["a negative value", { value: -1 }, "invalid_input value"],
		["a fraction", { value: 1.5 }, "invalid_input value"],
		["no id", { id: undefined }, "invalid_input id"],
		["an id that is too long", { id: "x".repeat(101) }, "invalid_input id"],
		["an unknown member", { at: noon.toISOString() }, "invalid_input at"],
	])("is %s", async (_what, more, refusal) => {
		const answer = await scene.consume(1, more);
		expect(`${answer.status} ${answer.body["code"]} ${answer.body["field"]}`).toBe(`400 ${refusal}`);
	});

	test("for an id of another consumption", async () => {
		const id = randomUUID();
		await scene.consume(1, { id });
		expect(await scene.consume(2, { id })).toMatchObject({
			status: 409,
			body: { code: "consumption_differs" },
		});
		expect(await riders(id)).toMatchObject({ status: 409, body: { code: "consumption_differs" } });
	});

	test("for a metric without a limit", async () => {
		const answer = await scene.consume(1, { metric: "api_call_count", limit: "max_api_calls" });
		expect(answer).toMatchObject({ status: 400, body: { code: "limit_differs", field: "limit" } });
	});

	test("for a read-only tenant, with the code for a renewal; in the grace period it succeeds", async () => {
		scene.service.clock.now = new Date("2026-04-09T00:00:00Z");
		expect((await scene.consume()).status).toBe(200);
		scene.service.clock.now = new Date("2026-04-10T00:00:00Z");
		expect(await scene.consume()).toMatchObject({
			status: 403,
			body: { code: "subscription_inactive", upgrade: true },
		});
	});

	test("for a tenant without a subscription", async () => {
		expect(
			await scene.call({
				method: "POST",
				path: "/usage/consume",
				tenantId: randomUUID(),
				body: { id: "a", limit: "max_riders", metric: "rider_count", value: 1 },
			}),
		).toMatchObject({ status: 404, body: { code: "no_subscription" } });
	});
});
