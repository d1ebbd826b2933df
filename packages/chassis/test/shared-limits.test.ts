import { createServer } from "node:net";
import { hasRedis, startTestRedis, type TestRedis } from "@lango/testkit";
import { RateLimiterRes } from "rate-limiter-flexible";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import type { BuiltService } from "../src/index.ts";
import { openSharedCounts, type SharedCounts } from "../src/limits/shared-counts.ts";
import { type Bakery, defineBakery, openBakery } from "./bakery.ts";
import { asOwner } from "./owner.ts";

const from = (on: BuiltService, remoteAddress: string) =>
	on.app.inject({ url: "/api/v1/mkate/bakery/menu", remoteAddress });
const ready = async (on: BuiltService) => {
	const answer = await on.app.inject({ url: "/readyz" });
	return [answer.statusCode, answer.json().status, answer.json().checks.limits];
};

describe("limits without REDIS_URL", () => {
	test("that are changed in the table count at once, without half a minute of waiting", async () => {
		const bakery = await openBakery();
		expect((await from(bakery, "203.0.113.1")).headers["x-ratelimit-limit"]).toBe("6000");
		await asOwner(bakery.ownerUrl, "update rate_limit_config set requests = 7 where scope = 'address'");
		await expect.poll(async () => (await from(bakery, "203.0.113.1")).headers["x-ratelimit-limit"]).toBe("7");
		expect((await ready(bakery))[2]).toBeUndefined();
		await bakery.close();
	});
});

describe("a Redis that is not there", () => {
	test("does not prevent the start: each process counts for itself, is degraded, and logs this once", async () => {
		const closed = createServer();
		await new Promise<void>((resolve) => closed.listen(0, "127.0.0.1", resolve));
		const { port } = closed.address() as { port: number };
		await new Promise((resolve) => closed.close(resolve));
		const lines: string[] = [];
		const settings = { REDIS_URL: `redis://127.0.0.1:${port}` };
		const bakery = await openBakery(defineBakery(), { settings, log: (line) => void lines.push(line) });
		for (let one = 1; one <= 3; one += 1)
			expect((await from(bakery, "203.0.113.1")).headers["x-ratelimit-remaining"]).toBe(String(6_000 - one));
		expect(await ready(bakery)).toEqual([200, "degraded", "unavailable"]);
		expect(lines.filter((line) => line.includes("shared limits unavailable"))).toHaveLength(1);
		await bakery.close();
	});
});

if (!hasRedis())
	console.log(
		"There is no redis-server and no valkey-server on the path: limits are tested in the process only.",
	);

describe.runIf(hasRedis())("limits on a Redis", () => {
	let redis: TestRedis;
	let bakery: Bakery;
	let replica: BuiltService;
	const lines: string[] = [];
	beforeAll(async () => {
		redis = await startTestRedis();
		const settings = { REDIS_URL: redis.url };
		bakery = await openBakery(defineBakery(), { settings, log: (line) => void lines.push(line) });
		replica = await bakery.replica();
		for (const on of [bakery, replica])
			await vi.waitFor(async () => expect(await ready(on)).toEqual([200, "ok", "ok"]), { timeout: 20_000 });
	});
	afterAll(async () => {
		redis.thaw();
		await replica.close();
		await bakery.close();
		await redis.stop();
	});
	const left = async (on: BuiltService, address: string) =>
		Number((await from(on, address)).headers["x-ratelimit-remaining"]);

	/** Waits until both use Redis: each counts for itself for a second after Redis was slow. */
	const countTogether = (address: string) =>
		expect
			.poll(async () => {
				const [one, other] = [await left(bakery, address), await left(replica, address)];
				return one - other;
			})
			.toBe(1);

	test("are counted for all replicas together, and refused with 429 by each", async () => {
		await countTogether("203.0.113.7");
		expect(await left(bakery, "203.0.113.2")).toBe(5_999);
		expect(await left(replica, "203.0.113.2")).toBe(5_998);
		await asOwner(bakery.ownerUrl, "update rate_limit_config set requests = 3 where scope = 'address'");
		for (const on of [bakery, replica])
			await expect.poll(async () => (await from(on, "203.0.113.9")).headers["x-ratelimit-limit"]).toBe("3");
		const answers = [bakery, replica, bakery, replica].map((on) => from(on, "203.0.113.3"));
		const statuses = (await Promise.all(answers)).map(({ statusCode }) => statusCode);
		expect(statuses.toSorted()).toEqual([200, 200, 200, 429]);
		const refused = await from(replica, "203.0.113.3");
		expect(refused.json()).toMatchObject({ code: "rate_limited" });
		expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
		await asOwner(bakery.ownerUrl, "update rate_limit_config set requests = 6000 where scope = 'address'");
		await expect.poll(() => left(bakery, "203.0.113.4")).toBeGreaterThan(3);
	});

	test.each(["killed", "frozen"])(
		"go on in each process while it is %s, never a 500, and come back",
		async (how) => {
			if (how === "killed") await redis.kill();
			else redis.freeze();
			const begin = performance.now();
			const statuses = [];
			for (let one = 0; one < 20; one += 1) statuses.push((await from(bakery, "203.0.113.5")).statusCode);
			expect(new Set(statuses)).toEqual(new Set([200]));
			expect(performance.now() - begin).toBeLessThan(2_000);
			expect(await ready(bakery)).toEqual([200, "degraded", "unavailable"]);
			expect(lines.filter((line) => line.includes("shared limits unavailable")).length).toBeGreaterThan(0);
			if (how === "killed") await redis.restart();
			else redis.thaw();
			await expect.poll(() => ready(bakery)).toEqual([200, "ok", "ok"]);
			await countTogether("203.0.113.6");
			expect(lines.some((line) => line.includes("shared limits available again"))).toBe(true);
		},
	);

	test("store no name or address", async () => {
		const counts: SharedCounts = openSharedCounts({ url: redis.url, name: "x", onError: () => {} });
		await expect
			.poll(() =>
				counts.check().then(
					() => true,
					() => false,
				),
			)
			.toBe(true);
		const limiter = counts.limiterOf({ name: "y", points: 1, seconds: 60 });
		const consume = () =>
			counts.ask(
				() => limiter.consume("asha@mkate.example"),
				() => Promise.reject(new Error("own")),
			);
		await consume();
		await expect(consume()).rejects.toBeInstanceOf(RateLimiterRes);
		const keys = await keysOf(redis.url);
		expect(keys).toContain("lango:x:y:1:60");
		expect(keys).not.toMatch(/asha|203\.0/);
		await counts.close();
	});
});

async function keysOf(url: string): Promise<string> {
	const { createClient } = await import("@redis/client");
	const client = await createClient({ url }).connect();
	const keys = await client.keys("*");
	client.destroy();
	return keys.join("\n");
}
