import { randomUUID } from "node:crypto";
import { createEntitlements, EntitlementsUnavailable } from "@lango/entitlements";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { seedDemoSubscriptions } from "../src/demo.ts";
import { setUpService } from "./test-service.ts";

const start = new Date("2026-03-01T12:00:00Z");
const service = setUpService();
let url: string;
let statuses: number[];
let tenants: Record<"uhai" | "kahawa" | "duka" | "lango", string>;

beforeAll(async () => {
	url = await service.app.listen({ port: 0, host: "127.0.0.1" });
});
beforeEach(async () => {
	service.clock.now = start;
	statuses = [];
	tenants = { uhai: randomUUID(), kahawa: randomUUID(), duka: randomUUID(), lango: randomUUID() };
	const list = Object.entries(tenants).map(([slug, id]) => ({ slug, id }));
	await seedDemoSubscriptions(service.db, { tenants: list, now: start });
});

/** The subscription gate of every other service, against the real service. */
const build = (apiKey = service.apiKey) =>
	createEntitlements({
		subscriptionsUrl: url,
		apiKey,
		now: () => service.clock.now,
		fetch: async (...call) => {
			const answer = await fetch(...call);
			statuses.push(answer.status);
			return answer;
		},
	});
const passes = (seconds: number) => {
	service.clock.now = new Date(service.clock.now.getTime() + seconds * 1_000);
};

describe("the gate of another service", () => {
	test.each([
		["uhai", true],
		["kahawa", true],
		["duka", false],
		["lango", false],
	] as const)("for %s lets mutations pass: %s", async (slug, may) => {
		expect(await build().mayMutate({ tenantId: tenants[slug] })).toBe(may);
	});

	test("receives an unchanged response without a body after a minute", async () => {
		const entitlements = build();
		const before = await entitlements.find(tenants.uhai);
		passes(60);
		expect(await entitlements.find(tenants.uhai)).toEqual(before);
		expect(statuses).toEqual([200, 304]);
	});

	test("closes when the grace period of a trial ends, to the second", async () => {
		const entitlements = build();
		passes(21 * 86_400 - 1);
		expect(await entitlements.mayMutate({ tenantId: tenants.kahawa })).toBe(true);
		passes(1);
		expect(await entitlements.mayMutate({ tenantId: tenants.kahawa })).toBe(false);
	});

	test("does not treat a refused key as a statement about the tenant", async () => {
		const other = service.apiKey.replace(/.{4}$/, "AAAA");
		await expect(build(other).mayMutate({ tenantId: tenants.uhai })).rejects.toBeInstanceOf(
			EntitlementsUnavailable,
		);
		expect(statuses).toEqual([401]);
	});
});
