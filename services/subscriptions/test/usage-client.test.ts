import { randomUUID } from "node:crypto";
import type { UsageEvent } from "@lango/contracts";
import {
	createEntitlements,
	createUsageClient,
	type DroppedReports,
	EntitlementsUnavailable,
	type UsageClient,
	UsageRefused,
} from "@lango/entitlements";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { setUsageScene } from "./usage-scene.ts";

const scene = setUsageScene();
let url: string;
let usage: UsageClient;
let dropped: DroppedReports[];
/** The fate of requests: delivered, lost on the way there or back, or refused by a proxy as too large. */
let fate: Array<"lost" | "unanswered" | "too_large">;
let sent: number;

beforeAll(async () => {
	url = await scene.service.app.listen({ port: 0, host: "127.0.0.1" });
});
beforeEach(() => {
	[dropped, fate, sent] = [[], [], 0];
	usage = build();
});

const build = (more: { apiKey?: string } = {}) =>
	createUsageClient({
		subscriptionsUrl: url,
		apiKey: scene.service.apiKey,
		now: () => scene.service.clock.now,
		onDropped: (one) => void dropped.push(one),
		fetch: async (...call) => {
			sent += 1;
			const next = fate.shift();
			if (next === "lost") throw new TypeError("fetch failed");
			if (next === "too_large") return new Response("<h1>413</h1>", { status: 413 });
			const answer = await fetch(...call);
			if (next === undefined) return answer;
			await answer.arrayBuffer();
			throw new TypeError("terminated");
		},
		...more,
	});
const order = (more: object = {}) => ({
	id: randomUUID(),
	metric: "order_count",
	value: 1,
	at: scene.at(0),
	...more,
});
const report = (events: readonly UsageEvent[]) => usage.reportUsage(scene.tenantId, events);
const rider = (more: object = {}) => ({
	tenantId: scene.tenantId,
	id: randomUUID(),
	limit: "max_riders",
	metric: "rider_count",
	value: 1,
	...more,
});
/**
 * The largest report, as JSON: a control character takes six bytes, a character beyond the basic plane four.
 */
const largestReport = (at: number) => ({
	id: `${at}`.padEnd(100, "x"),
	metric: "order_count",
	value: 1,
	at: `${scene.at(0).slice(0, -1)}${"0".repeat(16)}Z`,
	metadata: Object.fromEntries(
		Array.from({ length: 10 }, (_, name) => [`${name}${"\u{1f600}".repeat(63)}`, "\u0001".repeat(200)]),
	),
});
const used = async (metric: string) => (await usage.getUsage(scene.tenantId, metric)).used;

describe("reports of another service", () => {
	test("without a response can be sent again, and are counted once", async () => {
		fate = ["unanswered"];
		const reports = [order({ value: 7, metadata: { outlet: "HQ" } })];
		await expect(report(reports)).rejects.toBeInstanceOf(EntitlementsUnavailable);
		await report(reports);
		expect(await used("order_count")).toBe(7);
		expect(dropped).toEqual([]);
	});

	test("of an unknown metric are reported as dropped, and the others counted", async () => {
		await report(["order_count", "moon_phase", "order_count"].map((metric) => order({ metric })));
		expect(await used("order_count")).toBe(2);
		expect(dropped.map(({ events, reason }) => [events[0]?.metric, (reason as UsageRefused).code])).toEqual([
			["moon_phase", "metric_unknown"],
		]);
	});

	test("are sent in batches of one hundred at the largest size of the schema", async () => {
		await report(Array.from({ length: 100 }, (_, at) => largestReport(at)));
		expect(sent).toBe(1);
		expect(await used("order_count")).toBe(100);
		expect(dropped).toEqual([]);
	});

	test("that are too large for a proxy are split in halves", async () => {
		fate = ["too_large"];
		await report(Array.from({ length: 10 }, () => order()));
		expect([sent, await used("order_count"), dropped]).toEqual([3, 10, []]);
	});

	test("with one that is too large or cannot be stored are counted without it", async () => {
		const tooLarge = order({ metadata: { ["n".repeat(3_000_000)]: 1 } });
		const nul = order({ metadata: { note: "a\u0000b" } });
		const half = order({ metadata: { note: "a\ud800b" } });
		await report([order(), tooLarge, order(), nul, half, order()]);
		expect(await used("order_count")).toBe(3);
		expect(dropped.map(({ reason }) => (reason as UsageRefused).status)).toEqual([413, 400, 400]);
	});

	test("are not dropped while the key is refused: that is an operator's error", async () => {
		const wrong = build({ apiKey: scene.service.apiKey.replace(/.{4}$/, "AAAA") });
		await expect(wrong.reportUsage(scene.tenantId, [order()])).rejects.toBeInstanceOf(
			EntitlementsUnavailable,
		);
		expect(dropped).toEqual([]);
	});
});

describe("consumption by another service", () => {
	test("whose response was lost is repeated, and counts once", async () => {
		fate = ["unanswered"];
		expect(await usage.consume(rider({ value: 3 }))).toMatchObject({ repeated: true, usage: { used: 3 } });
		expect(sent).toBe(2);
	});

	test("beyond the limit is refused with its name, and a release makes it available again", async () => {
		const full = rider({ value: 15 });
		await usage.consume(full);
		const refusal: unknown = await usage.consume(rider()).catch((error: unknown) => error);
		expect(refusal).toBeInstanceOf(UsageRefused);
		expect(refusal).toMatchObject({ status: 403, code: "limit_reached", fields: { limit: "max_riders" } });
		fate = ["unanswered"];
		await usage.release(scene.tenantId, full.id);
		expect(await used("rider_count")).toBe(0);
	});

	test("is refused while the service cannot be reached", async () => {
		fate = ["lost", "lost"];
		await expect(usage.consume(rider())).rejects.toBeInstanceOf(EntitlementsUnavailable);
		expect(await used("rider_count")).toBe(0);
	});

	test("of a tenant without a subscription is refused", async () => {
		const refusal = usage.consume(rider({ tenantId: randomUUID() }));
		await expect(refusal).rejects.toMatchObject({ status: 404, code: "no_subscription" });
	});
});

test("overage of another service is recorded once, though its response was lost", async () => {
	fate = ["unanswered"];
	const overage = { tenantId: scene.tenantId, metric: "order_count", quantity: 4 };
	expect(await usage.reportOverage(overage)).toEqual({ recorded: false, billed: false });
	expect((await usage.getUsage(scene.tenantId, "order_count")).overage).toBe(4);
});

test("features and limits are those of the snapshot (HasFeature, GetLimits)", async () => {
	const { apiKey, clock } = scene.service;
	const entitlements = createEntitlements({ subscriptionsUrl: url, apiKey, now: () => clock.now });
	const question = { tenantId: scene.tenantId };
	expect(await entitlements.hasFeature(question, "multi_outlet")).toBe(true);
	expect(await entitlements.hasFeature(question, "api_webhooks")).toBe(false);
	expect((await entitlements.getLimits(question))["max_riders"]).toBe(15);
	expect(await entitlements.getLimits({ tenantId: randomUUID() })).toEqual({});
});
