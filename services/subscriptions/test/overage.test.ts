import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { takeOverage } from "../src/overage/overage-line.store.ts";
import type { OverageLine } from "../src/rules/lifecycle/overage-bill.ts";
import { purgeUsage } from "../src/usage/purge-usage.ts";
import { noon } from "./test-service.ts";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
const day = 86_400_000;
const periodEnd = new Date("2026-03-20T00:00:00Z");
const soldBeyond = () =>
	scene.tenantWith({
		limits: { max_orders_per_day: 10 },
		overage: { max_orders_per_day: { unit_price_minor: 250, cap: 5 } },
	});
const orders = (value: number, at = noon) =>
	scene.report([{ id: randomUUID(), metric: "order_count", value, at: at.toISOString() }]);
const overage = (more: object = {}) =>
	scene.call({
		method: "POST",
		path: "/overage",
		body: { id: randomUUID(), metric: "order_count", quantity: 1, ...more },
	});
const take = (endsAt = periodEnd): Promise<OverageLine[]> =>
	inTenant(scene.service.db, scene.tenantId, (tx) => takeOverage(tx, scene.tenantId, { endsAt }));
const line = (units: bigint) => ({
	metric: "order_count",
	units,
	unitPriceMinor: 250n,
	amountMinor: units * 250n,
	currency: "KES",
});

describe("overage that has a price", () => {
	test("is what was reported beyond the limit, and is taken once", async () => {
		scene.tenantId = await soldBeyond();
		await orders(12);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 12, overage: 2, remaining: 0 });
		expect(await take()).toEqual([line(2n)]);
		expect(await take()).toEqual([]);
	});

	test("is billed up to its cap per day, however it was reported", async () => {
		scene.tenantId = await soldBeyond();
		for (const value of [8, 4, 30, 1]) await orders(value);
		await orders(12, new Date(noon.getTime() - day));
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 43, overage: 33 });
		expect(await take()).toEqual([line(7n)]);
	});

	test("is taken for periods that have begun, late reports with the next one", async () => {
		scene.tenantId = await soldBeyond();
		await orders(11);
		expect(await take(new Date("2026-02-20T00:00:00Z"))).toEqual([]);
		expect(await take()).toEqual([line(1n)]);
		await orders(2);
		expect(await take(new Date("2026-04-20T00:00:00Z"))).toEqual([line(2n)]);
	});

	test("is not billed if it was reversed before", async () => {
		scene.tenantId = await soldBeyond();
		await orders(13);
		await orders(-2);
		expect(await take()).toEqual([line(1n)]);
	});

	test("lets consumption exceed the limit up to the cap", async () => {
		scene.tenantId = await soldBeyond();
		const [id, last] = [randomUUID(), randomUUID()];
		await scene.consume(12, { id });
		await scene.consume(3, { id: last });
		expect(await scene.consume(1)).toMatchObject({
			status: 403,
			body: { code: "limit_reached", used: 15, limit_value: 10 },
		});
		await scene.call({ method: "DELETE", path: `/usage/consume/${last}` });
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 12, overage: 2 });
		expect(await take()).toEqual([line(2n)]);
	});

	test("can be taken again if the bill was rolled back", async () => {
		scene.tenantId = await soldBeyond();
		await orders(11);
		const failing = inTenant(scene.service.db, scene.tenantId, async (tx) => {
			await takeOverage(tx, scene.tenantId, { endsAt: periodEnd });
			throw new Error("the bill was not written");
		});
		await expect(failing).rejects.toThrow("the bill was not written");
		expect(await take()).toEqual([line(1n)]);
	});
});

describe("overage that is reported late", () => {
	const tomorrow = new Date(noon.getTime() + day);
	const asOwner = (method: "PUT" | "POST" | "DELETE", url: string, payload?: object) =>
		scene.service.app.inject({
			method,
			url,
			headers: {
				authorization: `Bearer ${scene.service.tokenOf(randomUUID(), { roles: ["superuser"], tenant_slug: "lango" })}`,
			},
			...(payload && { payload }),
		});
	const overrides = () => `/api/v1/admin/tenants/${scene.tenantId}/overrides`;
	const setLimit = async (value: number) => {
		const limits = { max_orders_per_day: value };
		const answer = await asOwner("PUT", overrides(), {
			features: {},
			products: [],
			limits,
			because: "a test",
		});
		expect(answer.statusCode).toBe(200);
	};

	test("is measured by the limit of its time, even if it was raised since", async () => {
		scene.tenantId = await soldBeyond();
		await orders(8);
		scene.service.clock.now = tomorrow;
		await setLimit(100);
		await orders(5, noon);
		expect(await take()).toEqual([line(3n)]);
	});

	test("does not exist if the limit of its time allowed it, even if it was lowered since", async () => {
		scene.tenantId = await soldBeyond();
		await setLimit(100);
		scene.service.clock.now = tomorrow;
		await asOwner("DELETE", overrides());
		await orders(50, noon);
		await orders(12, tomorrow);
		expect(await take()).toEqual([line(2n)]);
	});

	test("uses the greatest limit of a window in which it changed", async () => {
		scene.tenantId = await soldBeyond();
		await orders(8);
		scene.service.clock.now = new Date(noon.getTime() + 3_600_000);
		await setLimit(100);
		await orders(40, scene.service.clock.now);
		await scene.report(
			[5, 6].map((value, minutes) => ({
				id: randomUUID(),
				metric: "order_count",
				value,
				at: scene.at(minutes * 3_700_000 - 60_000),
			})),
		);
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 59, overage: 0, limit_value: 100 });
		scene.service.clock.now = new Date(noon.getTime() + 7_200_000);
		await asOwner("DELETE", overrides());
		await orders(3);
		expect(await take()).toEqual([]);
	});

	test("has the price of its time", async () => {
		const made = await soldBeyond();
		const [{ plan_code: cheap = "" } = {}] = await scene.rows<{ plan_code: string }>(
			"select v.plan_code from subscriptions s join plan_versions v on v.id = s.plan_version_id where s.tenant_id = $1",
			[made],
		);
		await scene.service.db.query("update plans set retired_at = null where code = $1", [cheap]);
		scene.tenantId = randomUUID();
		const admin = () => ({
			authorization: `Bearer ${scene.service.tokenOf(scene.tenantId, { roles: ["admin"] })}`,
		});
		const select = (plan: string) =>
			scene.call({ method: "POST", path: "/subscription", body: { plan }, headers: admin() });
		expect((await select(cheap)).status).toBe(201);
		scene.service.clock.now = tomorrow;
		expect((await select("STARTER")).status).toBe(200);
		await orders(12, noon);
		expect(await take(new Date("2026-04-20T00:00:00Z"))).toEqual([line(2n)]);
	});

	test("uses earlier terms, which are kept as long as a report can be late", async () => {
		scene.tenantId = await soldBeyond();
		await setLimit(100);
		const kept = () => scene.rows("select from past_terms where tenant_id = $1", [scene.tenantId]);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 8 * day));
		expect(await kept()).toHaveLength(1);
		await purgeUsage(scene.service.db, new Date(noon.getTime() + 8 * day + 1));
		expect(await kept()).toEqual([]);
	});
});

describe("overage counted by a service", () => {
	test("is recorded once per id, and billed up to the cap", async () => {
		scene.tenantId = await soldBeyond();
		const id = randomUUID();
		expect(await overage({ id, quantity: 4 })).toEqual({
			status: 200,
			body: { recorded: true, billed: true },
		});
		expect(await overage({ id, quantity: 4 })).toMatchObject({ body: { recorded: false } });
		await overage({ quantity: 4, at: scene.at(-1_000) });
		expect(await scene.usageOf("order_count")).toMatchObject({ used: 0, overage: 8 });
		expect(await take()).toEqual([line(5n)]);
	});

	test("is only recorded if the plan has no price for it", async () => {
		expect(await overage({ quantity: 3 })).toEqual({ status: 200, body: { recorded: true, billed: false } });
		expect(await scene.usageOf("order_count")).toMatchObject({ overage: 3 });
		expect(await take()).toEqual([]);
	});

	test.each<[string, object, string]>([
		["of an unknown metric", { metric: "moon_phase" }, "metric_unknown metric"],
		["of nothing", { quantity: 0 }, "invalid_input quantity"],
		["of a week ago", { at: new Date(noon.getTime() - 7 * day).toISOString() }, "invalid_input at"],
		["without an id", { id: undefined }, "invalid_input id"],
	])("%s is refused", async (_what, more, refusal) => {
		const answer = await overage(more);
		expect(`${answer.status} ${answer.body["code"]} ${answer.body["field"]}`).toBe(`400 ${refusal}`);
	});

	test("of a tenant without a subscription is refused", async () => {
		scene.tenantId = randomUUID();
		expect(await overage()).toMatchObject({ status: 404, body: { code: "no_subscription" } });
	});
});

test("existing things have no overage to bill, whatever the plan says", async () => {
	scene.tenantId = await scene.tenantWith({
		limits: { max_riders: 1 },
		overage: { max_riders: { unit_price_minor: 100, cap: 5 } },
	});
	const rider = { limit: "max_riders", metric: "rider_count" };
	await scene.consume(1, rider);
	expect((await scene.consume(1, rider)).status).toBe(403);
	await scene.report([{ id: randomUUID(), metric: "rider_count", value: 3, at: noon.toISOString() }]);
	expect(await take()).toEqual([]);
});
