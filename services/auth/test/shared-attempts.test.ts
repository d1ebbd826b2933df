import { randomUUID } from "node:crypto";
import { openSharedCounts, type SharedCounts } from "@lango/chassis";
import { hasRedis, startTestRedis, type TestRedis } from "@lango/testkit";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { createFailureCount } from "../src/limits/failure-count.ts";
import { limitersOn } from "../src/limits/limiter.ts";

if (!hasRedis())
	console.log(
		"There is no redis-server and no valkey-server on the path: limits are tested in the process only.",
	);

describe.runIf(hasRedis())("attempts of two processes on one Redis", () => {
	let redis: TestRedis;
	let shared: SharedCounts[];
	beforeAll(async () => {
		redis = await startTestRedis();
		shared = [1, 2].map(() => openSharedCounts({ url: redis.url, name: "auth", onError: () => undefined }));
	});
	afterAll(async () => {
		for (const one of shared) await one.close();
		await redis.stop();
	});
	const counts = () => shared.map((one) => createFailureCount(limitersOn(one)));
	/** Waits until both processes use Redis: each counts for itself for a second after Redis was slow. */
	const sharedCounts = async () => {
		const unavailable = async () => {
			throw new Error("the shared counts are unavailable");
		};
		for (const one of shared)
			await vi.waitFor(() => one.ask(() => one.check(), unavailable), { timeout: 20_000 });
		return counts();
	};
	const who = (account: string) => ({ account, ip: "203.0.113.7", device: undefined });

	test("are bounded together: ten failures of an account from one address, whichever process tried them", async () => {
		const processes = await sharedCounts();
		const account = randomUUID();
		const tries = Array.from({ length: 30 }, (_, one) =>
			processes[one % 2]
				?.attempt(who(account), async () => undefined)
				.then(
					() => "tried",
					(error: { code: string }) => error.code,
				),
		);
		const outcomes = await Promise.all(tries);
		expect(outcomes.filter((one) => one === "tried").length).toBeLessThanOrEqual(10);
		expect(new Set(outcomes)).toEqual(new Set(["tried", "too_many_attempts"]));
	});

	test("that succeed are not counted, and clear earlier failures", async () => {
		const [one, other] = await sharedCounts();
		const account = randomUUID();
		for (let turn = 0; turn < 9; turn += 1) await one?.attempt(who(account), async () => undefined);
		expect(await other?.attempt(who(account), async () => "proved")).toBe("proved");
		for (let turn = 0; turn < 10; turn += 1)
			expect(await one?.attempt(who(account), async () => undefined)).toBeUndefined();
		await expect(other?.attempt(who(account), async () => "proved")).rejects.toMatchObject({
			code: "too_many_attempts",
		});
	});

	test("are counted in each process while it is unavailable", async () => {
		await redis.kill();
		const [one] = counts();
		for (let turn = 0; turn < 10; turn += 1)
			expect(await one?.attempt(who("chebet"), async () => undefined)).toBeUndefined();
		await expect(one?.attempt(who("chebet"), async () => undefined)).rejects.toMatchObject({
			code: "too_many_attempts",
		});
	});
});
