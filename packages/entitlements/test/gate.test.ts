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
	test("goes by a fresh token's claims without asking", async () => {
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(true);
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ sub_status: "EXPIRED", sub_expires: scene.time / 1_000 - 700_000 }),
			}),
		).toBe(false);
		expect(scene.service.asked).toHaveLength(0);
	});

	test("asks when the token is a minute old", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ status: "EXPIRED", access: "read_only" }));
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ iat: scene.time / 1_000 - 60 }),
			}),
		).toBe(false);
		expect(scene.service.asked).toHaveLength(1);
	});

	test("goes by the snapshot at hand before the claims, and by the claims once it is old", async () => {
		scene.service.records.set(scene.tenantId, scene.snapshot({ status: "EXPIRED", access: "read_only" }));
		await scene.entitlements.find(scene.tenantId);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(false);
		scene.passes(60);
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(true);
	});

	test("refuses a tenant without a record, whatever an old token says", async () => {
		scene.service.records.clear();
		expect(
			await scene.entitlements.mayMutate({
				tenantId: scene.tenantId,
				claims: claims({ iat: scene.time / 1_000 - 100 }),
			}),
		).toBe(false);
	});

	test("a token without claims, made while the service was away, is no statement", async () => {
		const bare = claims();
		for (const name of ["sub_plan", "sub_status", "sub_expires"] as const) delete bare[name];
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: bare })).toBe(true);
		scene.service.answer = () => ({ status: 503, body: "{}" });
		scene.passes(60);
		await expect(
			scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: bare }),
		).rejects.toBeInstanceOf(EntitlementsUnavailable);
	});

	test("an expired tenant in its grace may mutate until the grace of the setting ends", async () => {
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

	test("what a tenant nobody asked for is told decides too, before the claims", async () => {
		scene.entitlements.apply(scene.snapshot({ access: "read_only", status: "EXPIRED" }));
		expect(await scene.entitlements.mayMutate({ tenantId: scene.tenantId, claims: claims() })).toBe(false);
		expect(scene.service.asked).toHaveLength(0);
	});
});
