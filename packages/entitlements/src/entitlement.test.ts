import { type AccessTokenClaims, accessLevels, subscriptionStatuses } from "@lango/contracts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
	type Entitlement,
	freshestEntitlement,
	hasFeature,
	hasProduct,
	limitOf,
	mayMutate,
	unlimited,
} from "./entitlement.ts";

const now = new Date("2026-03-01T12:00:00Z");
const seconds = now.getTime() / 1_000;
const day = 86_400;
const tenantId = "7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b11";
const claimsOf = (more: Partial<AccessTokenClaims>): AccessTokenClaims => ({
	iss: "i",
	sub: tenantId,
	aud: "lango",
	exp: seconds + 3_600,
	iat: seconds - 10,
	jti: "j",
	client_id: "c",
	tenant_id: tenantId,
	sub_plan: "GROWTH",
	sub_status: "ACTIVE",
	sub_features: ["loyalty_program"],
	sub_limits: { max_riders: 15 },
	sub_expires: seconds + day,
	products: ["ordering"],
	...more,
});
const byClaims = (more: Partial<AccessTokenClaims>) =>
	freshestEntitlement({ tenantId, now, snapshot: undefined, claims: claimsOf(more), graceDays: 7 });
const entitlement = (more: Partial<Entitlement>): Entitlement => ({
	plan: "GROWTH",
	status: "ACTIVE",
	access: "full",
	features: [],
	limits: {},
	products: [],
	...more,
});

describe("the gate of mutations", () => {
	test("refuses a tenant without a subscription", () => {
		expect(mayMutate(null)).toBe(false);
	});

	test.each([
		["full", true],
		["grace", true],
		["read_only", false],
	] as const)("access %s means %s", (access, may) => {
		expect(mayMutate(entitlement({ access }))).toBe(may);
	});
});

describe("a token's claims", () => {
	test.each(["TRIAL", "ACTIVE", "PAST_DUE"])(
		"with %s in a token younger than a minute allow mutations",
		(sub_status) => {
			const known = byClaims({ sub_status });
			expect(known).toEqual({
				plan: "GROWTH",
				status: sub_status,
				access: "full",
				features: ["loyalty_program"],
				limits: { max_riders: 15 },
				products: ["ordering"],
			});
			expect(mayMutate(known ?? null)).toBe(true);
		},
	);

	test.each([
		["a second after expiry", 1, "grace"],
		["a second before the grace period ends", 7 * day - 1, "grace"],
		["when the grace period ends", 7 * day, "read_only"],
		["long after", 100 * day, "read_only"],
	])("of an expired subscription, %s, mean %s %s", (_when, ago, access) => {
		expect(byClaims({ sub_status: "EXPIRED", sub_expires: seconds - ago })?.access).toBe(access);
	});

	test("of an expired subscription have no features after the grace period", () => {
		expect(byClaims({ sub_status: "EXPIRED", sub_expires: seconds - 8 * day })?.features).toEqual([]);
		expect(byClaims({ sub_status: "EXPIRED", sub_expires: seconds - day })?.features).toEqual([
			"loyalty_program",
		]);
	});

	test.each<[string, Partial<AccessTokenClaims>]>([
		["are a minute old", { iat: seconds - 60 }],
		["were made a minute ahead of us", { iat: seconds + 60 }],
		["belong to another tenant", { tenant_id: "0f0e0d0c-0b0a-4908-8706-050403020100" }],
		["are EXPIRED without an expiry time", { sub_status: "EXPIRED", sub_expires: undefined as never }],
		["have an unknown status", { sub_status: "PAUSED" }],
		[
			"have no subscription, because the service was unavailable",
			{ sub_status: undefined as never, sub_plan: undefined as never },
		],
	])("that %s are ignored", (_what, more) => {
		expect(byClaims(more)).toBeUndefined();
	});

	test("are ignored for programs, which have none", () => {
		expect(
			freshestEntitlement({ tenantId, now, snapshot: undefined, claims: undefined, graceDays: 7 }),
		).toBeUndefined();
	});
});

test("a current snapshot takes precedence over the claims", () => {
	fc.assert(
		fc.property(
			fc.constantFrom(...accessLevels),
			fc.constantFrom(...subscriptionStatuses),
			fc.integer({ min: -400, max: 400 }),
			(access, sub_status, ago) => {
				const snapshot = entitlement({ access }) as never;
				const claims = claimsOf({ sub_status, iat: seconds - ago });
				expect(freshestEntitlement({ tenantId, now, snapshot, claims, graceDays: 7 })).toBe(snapshot);
				expect(freshestEntitlement({ tenantId, now, snapshot: null, claims, graceDays: 7 })).toBeNull();
			},
		),
	);
});

describe("features, products and limits", () => {
	const growth = entitlement({
		features: ["multi_outlet"],
		products: ["pos"],
		limits: { max_riders: 15, max_admins: unlimited },
	});

	test("are available if the plan includes them", () => {
		expect([hasFeature(growth, "multi_outlet"), hasFeature(growth, "api_webhooks")]).toEqual([true, false]);
		expect([hasProduct(growth, "pos"), hasProduct(growth, "hospital")]).toEqual([true, false]);
		expect([limitOf(growth, "max_riders"), limitOf(growth, "max_admins")]).toEqual([15, -1]);
	});

	test("a missing limit is 0, also for names of Object.prototype", () => {
		expect([limitOf(growth, "max_orders_per_day"), limitOf(growth, "constructor")]).toEqual([0, 0]);
	});

	test("without a subscription there are none", () => {
		expect([hasFeature(null, "multi_outlet"), hasProduct(null, "pos"), limitOf(null, "max_riders")]).toEqual([
			false,
			false,
			0,
		]);
	});
});
