import { randomUUID } from "node:crypto";
import type { AccessTokenClaims, Subscription } from "@lango/contracts";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";
import {
	createEntitlements,
	type Entitlements,
	type EntitlementsOptions,
	EntitlementsUnavailable,
} from "../src/index.ts";
import { type StandIn, startStandIn } from "./subscription-service.ts";

const start = Date.parse("2026-03-01T12:00:00Z");
let time = start;
let service: StandIn;
let entitlements: Entitlements;
let tenantId: string;

const build = (more: Partial<EntitlementsOptions> = {}) =>
	createEntitlements({
		subscriptionsUrl: service.url,
		apiKey: "lk_key_secret",
		now: () => new Date(time),
		timeoutMs: 300,
		...more,
	});
const at = (offsetSeconds: number) => new Date(start + offsetSeconds * 1_000).toISOString();
const snapshot = (more: Partial<Subscription> = {}): Subscription => ({
	tenant_id: tenantId,
	status: "ACTIVE",
	plan: "GROWTH",
	features: ["multi_outlet"],
	limits: { max_riders: 15 },
	products: ["ordering"],
	expires_at: at(86_400),
	expiry: (start + 86_400_000) / 1_000,
	access: "full",
	grace_until: null,
	trial_end: null,
	pending_change: null,
	version: 1,
	next_change_at: at(86_400),
	...more,
});
const claims = (more: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
	iss: "i",
	sub: randomUUID(),
	aud: "lango",
	exp: time / 1_000 + 3_600,
	iat: time / 1_000,
	jti: "j",
	client_id: "c",
	tenant_id: tenantId,
	sub_plan: "GROWTH",
	sub_status: "ACTIVE",
	sub_expires: time / 1_000 + 60,
	...more,
});
const passes = (seconds: number) => {
	time += seconds * 1_000;
};
beforeAll(async () => {
	service = await startStandIn();
});
afterAll(() => service.close());
beforeEach(() => {
	time = start;
	tenantId = randomUUID();
	service.records.clear();
	service.records.set(tenantId, snapshot());
	service.asked.length = 0;
	service.answer = undefined;
	service.gate = undefined;
	entitlements = build();
});

describe("the gate", () => {
	test("goes by a fresh token's claims without asking", async () => {
		expect(await entitlements.mayMutate({ tenantId, claims: claims() })).toBe(true);
		expect(
			await entitlements.mayMutate({
				tenantId,
				claims: claims({ sub_status: "EXPIRED", sub_expires: time / 1_000 - 700_000 }),
			}),
		).toBe(false);
		expect(service.asked).toHaveLength(0);
	});

	test("asks when the token is a minute old", async () => {
		service.records.set(tenantId, snapshot({ status: "EXPIRED", access: "read_only" }));
		expect(await entitlements.mayMutate({ tenantId, claims: claims({ iat: time / 1_000 - 60 }) })).toBe(
			false,
		);
		expect(service.asked).toHaveLength(1);
	});

	test("goes by the snapshot at hand before the claims, and by the claims once it is old", async () => {
		service.records.set(tenantId, snapshot({ status: "EXPIRED", access: "read_only" }));
		await entitlements.find(tenantId);
		expect(await entitlements.mayMutate({ tenantId, claims: claims() })).toBe(false);
		passes(60);
		expect(await entitlements.mayMutate({ tenantId, claims: claims() })).toBe(true);
	});

	test("refuses a tenant without a record, whatever an old token says", async () => {
		service.records.clear();
		expect(await entitlements.mayMutate({ tenantId, claims: claims({ iat: time / 1_000 - 100 }) })).toBe(
			false,
		);
	});

	test("a token without claims, made while the service was away, is no statement", async () => {
		const bare = claims();
		for (const name of ["sub_plan", "sub_status", "sub_expires"] as const) delete bare[name];
		expect(await entitlements.mayMutate({ tenantId, claims: bare })).toBe(true);
		service.answer = () => ({ status: 503, body: "{}" });
		passes(60);
		await expect(entitlements.mayMutate({ tenantId, claims: bare })).rejects.toBeInstanceOf(
			EntitlementsUnavailable,
		);
	});

	test("an expired tenant in its grace may mutate until the grace of the setting ends", async () => {
		entitlements = build({ graceDays: 2 });
		const expiredFor = (days: number) =>
			claims({ sub_status: "EXPIRED", sub_expires: time / 1_000 - days * 86_400 });
		expect(await entitlements.mayMutate({ tenantId, claims: expiredFor(1.9) })).toBe(true);
		expect(await entitlements.mayMutate({ tenantId, claims: expiredFor(2) })).toBe(false);
	});

	test("what a tenant nobody asked for is told decides too, before the claims", async () => {
		entitlements.apply(snapshot({ access: "read_only", status: "EXPIRED" }));
		expect(await entitlements.mayMutate({ tenantId, claims: claims() })).toBe(false);
		expect(service.asked).toHaveLength(0);
	});
});
