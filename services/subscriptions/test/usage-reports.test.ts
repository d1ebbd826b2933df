import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { purgeInTime, purgeUsage } from "../src/usage/purge-usage.ts";
import { noon } from "./test-service.ts";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const hour = 3_600_000;
const event = (more: object = {}) => ({
	id: randomUUID(),
	metric: "order_count",
	value: 1,
	at: noon.toISOString(),
	...more,
});

describe("reports of usage", () => {
	test("are counted once per id, and the response has the number of new ones", async () => {
		const one = event({ value: 3, metadata: { outlet: "HQ", paid: true } });
		expect(await scene.report([one, event()])).toEqual({ status: 200, body: { accepted: 2, duplicates: 0 } });
		expect(await scene.report([one, event({ value: 2 })])).toEqual({
			status: 200,
			body: { accepted: 1, duplicates: 1 },
		});
		expect(await scene.usageOf("order_count")).toEqual({
			metric: "order_count",
			used: 6,
			limit: "max_orders_per_day",
			limit_value: 1_000,
			remaining: 994,
			overage: 0,
			window: "day",
			starts_at: "2026-02-28T21:00:00.000Z",
			ends_at: "2026-03-01T21:00:00.000Z",
			time_zone: "Africa/Nairobi",
		});
	});

	test("with one id twice in a batch count the first", async () => {
		const id = randomUUID();
		expect((await scene.report([event({ id, value: 5 }), event({ id, value: 7 })])).body).toEqual({
			accepted: 1,
			duplicates: 1,
		});
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 5 });
	});

	test("count at their own time: one of yesterday counts yesterday", async () => {
		await scene.report([event({ at: scene.at(-24 * hour) }), event({ at: scene.at(-24 * hour) }), event()]);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 1 });
		scene.service.clock.now = new Date(noon.getTime() - 24 * hour);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 2 });
	});

	test("reverse usage with a negative value", async () => {
		await scene.report([
			event({ metric: "rider_count", value: 4 }),
			event({ metric: "rider_count", value: -1 }),
		]);
		expect(await scene.usageOf("rider_count")).toMatchObject({
			used: 3,
			limit: "max_riders",
			window: "standing",
			starts_at: null,
			ends_at: null,
		});
	});

	test("of a metric without a limit are counted by the subscription's period", async () => {
		await scene.report([event({ metric: "api_call_count", value: 40 })]);
		expect(await scene.usageOf("api_call_count")).toMatchObject({
			used: 40,
			limit: null,
			limit_value: null,
			remaining: null,
			window: "period",
			starts_at: "2026-02-20T00:00:00.000Z",
			ends_at: "2026-03-20T00:00:00.000Z",
		});
	});

	test("continue in the grace period and after it", async () => {
		scene.service.clock.now = new Date("2026-04-20T00:00:00Z");
		const at = scene.service.clock.now.toISOString();
		expect(await scene.report([event({ metric: "api_call_count", at })])).toMatchObject({ status: 200 });
		expect(await scene.usageOf("api_call_count")).toMatchObject({
			used: 1,
			starts_at: "2026-03-20T00:00:00.000Z",
			ends_at: null,
		});
	});

	test("are all listed in the overview, in the current windows", async () => {
		await scene.report([event({ value: 2 })]);
		const { body } = await scene.call({ path: "/usage" });
		const items = body["items"] as Array<{ metric: string; used: number }>;
		expect(body["next_cursor"]).toBeNull();
		expect(Object.fromEntries(items.map(({ metric, used }) => [metric, used]))).toEqual({
			order_count: 2,
			email_count: 0,
			rider_count: 0,
			admin_count: 0,
			message_count: 0,
			api_call_count: 0,
		});
	});
});

test("counters are the sum of distinct reports, in any order, with duplicates, batches and concurrency", async () => {
	const reports = fc.array(
		fc.record({
			metric: fc.constantFrom("order_count", "email_count", "rider_count", "api_call_count"),
			value: fc.integer({ min: -50, max: 200 }),
			hoursAgo: fc.constantFrom(0, 1, 20, 30, 47, 100),
		}),
		{ minLength: 1, maxLength: 30 },
	);
	await fc.assert(
		fc.asyncProperty(reports, fc.infiniteStream(fc.nat()), async (made, random) => {
			const tenantId = await scene.tenantWith({ limits: { max_orders_per_day: 100, max_riders: 5 } });
			const events = made.map(({ hoursAgo, ...one }) => event({ ...one, at: scene.at(-hoursAgo * hour) }));
			const draw = (below: number) => (random.next().value as number) % below;
			const sent = [...events, ...events.filter(() => draw(2) === 0)]
				.map((one) => ({ one, place: draw(1_000_000) }))
				.toSorted((a, b) => a.place - b.place)
				.map(({ one }) => one);
			const batches: object[][] = [];
			while (sent.length > 0) batches.push(sent.splice(0, 1 + draw(10)));
			const answers = await Promise.all(batches.map((batch) => scene.report(batch, { tenantId })));
			expect(answers.map(({ status }) => status)).toEqual(batches.map(() => 200));
			const accepted = answers.reduce((sum, { body }) => sum + Number(body["accepted"]), 0);
			const sums = await scene.rows<{ metric: string; used: bigint; overage: bigint }>(
				"select metric, sum(used)::bigint as used from usage_counters where tenant_id = $1 group by metric",
				[tenantId],
			);
			const expected = new Map<string, bigint>();
			for (const { metric, value } of made)
				expected.set(metric, (expected.get(metric) ?? 0n) + BigInt(value));
			expect(accepted).toBe(events.length);
			expect(new Map(sums.map(({ metric, used }) => [metric, used]))).toEqual(expected);
			// Overage is what exceeds the limit, day by day, however it was reported.
			const wrong = await scene.rows(
				`select * from usage_counters
				  where tenant_id = $1 and metric = 'order_count' and overage <> greatest(0, used - 100)`,
				[tenantId],
			);
			expect(wrong).toEqual([]);
		}),
		{ numRuns: 15 },
	);
});

describe("an id", () => {
	test("is kept for 8 days, when its report is too old to be accepted again", async () => {
		const old = event();
		await scene.report([old]);
		scene.service.clock.now = new Date(noon.getTime() + 7 * 24 * hour - 1);
		await purgeUsage(scene.service.db, scene.service.clock.now);
		expect((await scene.report([old])).body).toEqual({ accepted: 0, duplicates: 1 });
		scene.service.clock.now = new Date(noon.getTime() + 8 * 24 * hour + 1);
		expect(await purgeUsage(scene.service.db, scene.service.clock.now)).toMatchObject({ remaining: 0 });
		expect(await scene.rows("select from usage_reports where tenant_id = $1", [scene.tenantId])).toEqual([]);
		expect(await scene.report([old])).toMatchObject({ status: 400, body: { field: "events.0.at" } });
	});
});

describe("a purge", () => {
	const old = (count: number) =>
		inTenant(scene.service.db, scene.tenantId, (tx) =>
			tx.query(
				`insert into usage_reports (tenant_id, id, metric, value, reported_at, received_at)
				 select $1, 'old:' || n, 'order_count', 1, $2, $2 from generate_series(1, $3) n
				 on conflict do nothing`,
				[scene.tenantId, new Date(noon.getTime() - 20 * 24 * hour), count],
			),
		);
	const remaining = () => scene.rows("select from usage_reports where tenant_id = $1", [scene.tenantId]);

	test("continues until no expired rows remain, however many there are", async () => {
		await old(20_500);
		expect(await purgeUsage(scene.service.db, noon)).toEqual({ removed: 20_500, remaining: 0 });
		expect(await remaining()).toEqual([]);
	});

	test("stops when its time is up, reports the tenants that remain, and continues in the next run", async () => {
		await old(10);
		const errors: string[] = [];
		const parts = { db: scene.service.db, onError: (error: unknown) => void errors.push(String(error)) };
		await purgeInTime(parts, { now: () => noon, signal: AbortSignal.abort() });
		expect(errors).toEqual(["Error: removed 0 rows; 1 or more tenants have rows left"]);
		expect(await remaining()).toHaveLength(10);
		await purgeInTime(parts, { now: () => noon, signal: new AbortController().signal });
		expect([await remaining(), errors.length]).toEqual([[], 1]);
	});
});

describe("refused, and nothing of the batch counted,", () => {
	test.each<[string, () => unknown, string]>([
		["an unknown metric", () => event({ metric: "moon_phase" }), "metric_unknown events.1.metric"],
		["a report of a week ago", () => event({ at: scene.at(-7 * 24 * hour) }), "invalid_input events.1.at"],
		["a report from the future", () => event({ at: scene.at(hour) }), "invalid_input events.1.at"],
		["a malformed time", () => event({ at: "noon" }), "invalid_input events.1.at"],
		["a fraction", () => event({ value: 0.5 }), "invalid_input events.1.value"],
		["a text instead of a number", () => event({ value: "1" }), "invalid_input events.1.value"],
		["a value that is too large", () => event({ value: 1_000_000_001 }), "invalid_input events.1.value"],
		["an id with a blank", () => event({ id: "a b" }), "invalid_input events.1.id"],
		["no id", () => event({ id: undefined }), "invalid_input events.1.id"],
		["an unknown member", () => event({ tenant_id: "x" }), "invalid_input events.1.tenant_id"],
		["metadata too deep", () => event({ metadata: { a: {} } }), "invalid_input events.1.metadata.a"],
	])("is %s", async (_what, wrong, refusal) => {
		const answer = await scene.report([event(), wrong() as object]);
		expect(`${answer.status} ${answer.body["code"]} ${answer.body["field"]}`).toBe(`400 ${refusal}`);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0 });
	});

	test.each([
		["no events", 0],
		["more than a hundred", 101],
	])("is %s", async (_what, count) => {
		const answer = await scene.report(Array.from({ length: count }, () => event()));
		expect([answer.status, answer.body["field"]]).toEqual([400, "events"]);
	});

	test("for a tenant without a subscription", async () => {
		const answer = await scene.report([event()], { tenantId: randomUUID() });
		expect([answer.status, answer.body["code"]]).toEqual([404, "no_subscription"]);
	});
});

test("one hundred events are counted in one statement", async () => {
	const events = Array.from({ length: 100 }, () => event());
	expect((await scene.report(events)).body).toEqual({ accepted: 100, duplicates: 0 });
});
