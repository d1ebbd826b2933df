import type { Subscription } from "@lango/contracts";
import { describe, expect, test } from "vitest";
import { entityTagOf } from "./entity-tag.ts";

const snapshot: Subscription = {
	tenant_id: "7b0a1f0e-5c55-4f0e-9a5e-0d3c3c9a1b11",
	status: "TRIAL",
	plan: "STARTER",
	features: [],
	limits: {},
	products: ["auth"],
	expires_at: "2026-03-15T00:00:00.000Z",
	expiry: 1_773_532_800,
	access: "full",
	grace_until: null,
	trial_end: null,
	pending_change: null,
	version: 3,
	next_change_at: null,
};

describe("an ETag", () => {
	test("begins with the version and is equal for equal snapshots", () => {
		expect(entityTagOf(snapshot)).toMatch(/^"3-[\w-]{22}"$/);
		expect(entityTagOf({ ...snapshot })).toBe(entityTagOf(snapshot));
	});

	test.each<Partial<Subscription>>([
		{ version: 4 },
		{ access: "grace" },
		{ status: "EXPIRED" },
		{ products: ["auth", "pos"] },
	])("differs with %o", (change) => {
		expect(entityTagOf({ ...snapshot, ...change })).not.toBe(entityTagOf(snapshot));
	});
});
