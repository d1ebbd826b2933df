import { randomUUID } from "node:crypto";
import type { Subscription } from "@lango/contracts";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { createEntitlements, type Entitlements, type EntitlementsOptions } from "../src/index.ts";
import { type StandIn, startStandIn } from "./subscription-service.ts";

const start = Date.parse("2026-03-01T12:00:00Z");

/** The set-up of each test: a tenant with an active subscription, a clock set by hand, and empty caches. */
export type Scene = {
	service: StandIn;
	entitlements: Entitlements;
	tenantId: string;
	/** The current time in milliseconds. */
	time: number;
	passes(seconds: number): void;
	/** The time that many seconds after the start of the test. */
	at(offsetSeconds: number): string;
	build(more?: Partial<EntitlementsOptions>): Entitlements;
	snapshot(more?: Partial<Subscription>): Subscription;
};

/** Creates a new scene before each test of the file. All tests share one subscription service. */
export function setScene(): Scene {
	const at = (offsetSeconds: number) => new Date(start + offsetSeconds * 1_000).toISOString();
	const scene = {
		tenantId: "",
		time: start,
		passes: (seconds: number) => {
			scene.time += seconds * 1_000;
		},
		at,
		build: (more: Partial<EntitlementsOptions> = {}) =>
			createEntitlements({
				subscriptionsUrl: scene.service.url,
				apiKey: "lk_key_secret",
				now: () => new Date(scene.time),
				timeoutMs: 300,
				...more,
			}),
		snapshot: (more: Partial<Subscription> = {}): Subscription => ({
			tenant_id: scene.tenantId,
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
		}),
	} as Scene;

	beforeAll(async () => {
		scene.service = await startStandIn();
	});
	afterAll(() => scene.service.close());
	beforeEach(() => {
		const { service } = scene;
		scene.time = start;
		scene.tenantId = randomUUID();
		service.records.clear();
		service.records.set(scene.tenantId, scene.snapshot());
		service.asked.length = 0;
		service.answer = undefined;
		service.gate = undefined;
		scene.entitlements = scene.build();
	});
	return scene;
}
