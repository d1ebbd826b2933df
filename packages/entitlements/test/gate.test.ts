import { randomUUID } from "node:crypto";
import type { AccessTokenClaims } from "@lango/contracts";
import { describe, expect, test } from "vitest";
import { EntitlementsUnavailable } from "../src/index.ts";
import { setScene } from "./scene.ts";

const scene = setScene();
const claims = (more: Partial<AccessTokenClaims> = {}): AccessTokenClaims => ({
	iss: "i",
	sub: randomUUID(),
	aud: "lango",
	exp: scene.time / 1_000 + 3_600,
	iat: scene.time / 1_000,
	jti: "j",
	client_id: "c",
	tenant_id: scene.tenantId,
	sub_plan: "GROWTH",
	sub_status: "ACTIVE",
	sub_expires: scene.time / 1_000 + 60,
	...more,
});

describe("the gate", () => {
	test("uses a fresh token's claims without a request", async () => {
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(true);
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ sub_status: "EXPIRED", sub_expires: scene.time / 1_000 - 700_000 }),
			}),
		).toBe(false);
		expect(scene.service.asked).toHaveLength(0);
	});

	test("asks the service if the token is a minute old", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ status: "EXPIRED", access: "read_only" }));
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ iat: scene.time / 1_000 - 60 }),
			}),
		).toBe(false);
		expect(scene.service.asked).toHaveLength(1);
	});

	test("prefers the cached snapshot to the claims, and uses the claims when it is old", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ status: "EXPIRED", access: "read_only" }));
		await scene.entitlements.find(scene.tenantId);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(false);
		scene.passes(60);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(true);
	});

	test("refuses a tenant without a subscription, whatever an old token states", async () => {
		scene.service.records.clear();
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ iat: scene.time / 1_000 - 100 }),
			}),
		).toBe(false);
	});

	test("asks the service if a token has no claims, because it was issued while the service was unavailable", async () => {
		const bare = claims();
		for (const name of ["sub_plan", "sub_status", "sub_expires"] as const) delete bare[name];
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: bare })).toBe(true);
		scene.service.answer = () => ({ status: 503, body: "{}" });
		scene.passes(60);
		await expect(
			scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: bare }),
		).rejects.toBeInstanceOf(EntitlementsUnavailable);
	});

	test("allows mutations of an expired tenant until the configured grace period ends", async () => {
		scene.entitlements = scene.build({ graceDays: 2 });
		const expiredFor = (days: number) =>
			claims({ sub_status: "EXPIRED", sub_expires: scene.time / 1_000 - days * 86_400 });
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: expiredFor(1.9) })).toBe(
			true,
		);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: expiredFor(2) })).toBe(
			false,
		);
	});

	test("prefers the snapshot of an event to the claims, also for a tenant that was never asked for", async () => {
		scene.entitlements.apply(scene.snapshot({ access: "read_only", status: "EXPIRED" }));
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(false);
		expect(scene.service.asked).toHaveLength(0);
	});
});
