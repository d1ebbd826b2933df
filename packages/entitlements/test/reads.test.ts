import type { AccessTokenClaims } from "@lango/contracts";
import { expect, test } from "vitest";
import { setScene } from "./scene.ts";

const scene = setScene();
const claims = (issuedAgoSeconds: number, more: Partial<AccessTokenClaims> = {}) =>
	({
		tenant_id: scene.tenantId,
		iat: scene.time / 1_000 - issuedAgoSeconds,
		sub_plan: "GROWTH",
		sub_status: "ACTIVE",
		products: ["pos"],
		...more,
	}) as AccessTokenClaims;
const productsOf = (query: { claims?: AccessTokenClaims } = {}) => {
	const known = scene.entitlements.lastKnown({ tenantId: scene.tenantId, ...query });
	return known === null || known === undefined ? known : known.products;
};
const asked = () => scene.service.asked.length;
const isAway = () => {
	scene.service.answer = () => ({ status: 500, body: "{}" });
};

test("a read without information gets undefined at once, and a snapshot is fetched in the background", async () => {
	expect(productsOf()).toBeUndefined();
	await expect.poll(() => productsOf()).toEqual(["ordering"]);
	expect(asked()).toBe(1);
});

test("a snapshot of any age is used while the subscription service is unavailable", async () => {
	await scene.entitlements.find(scene.tenantId);
	isAway();
	scene.passes(30 * 86_400);
	expect(productsOf()).toEqual(["ordering"]);
});

test("a stale snapshot is refreshed in the background", async () => {
	await scene.entitlements.find(scene.tenantId);
	scene.service.records.set(scene.tenantId, scene.snapshot({ version: 2, products: ["hospital"] }));
	scene.passes(61);
	expect(productsOf()).toEqual(["ordering"]);
	await expect.poll(() => productsOf()).toEqual(["hospital"]);
});

test("many reads cause one request, and after a failure none for 5 s", async () => {
	const troubles: unknown[] = [];
	scene.entitlements = scene.build({ onError: (error) => void troubles.push(error) });
	isAway();
	for (let one = 0; one < 20; one += 1) productsOf();
	await expect.poll(() => troubles.length).toBe(1);
	for (let one = 0; one < 20; one += 1) productsOf();
	expect(asked()).toBe(1);
	scene.passes(5);
	productsOf();
	await expect.poll(() => troubles.length).toBe(2);
});

test("the newer one of the last snapshot and the token's products is used", async () => {
	await scene.entitlements.find(scene.tenantId);
	scene.passes(3_600);
	isAway();
	expect(productsOf({ claims: claims(60) })).toEqual(["pos"]);
	expect(productsOf({ claims: claims(7_200) })).toEqual(["ordering"]);
});

test("a token's products are used at any age; an empty list means none, and a missing claim states nothing", () => {
	isAway();
	expect(productsOf({ claims: claims(5 * 3_600) })).toEqual(["pos"]);
	const { sub_plan, sub_status, ...bare } = claims(10);
	expect(productsOf({ claims: { ...bare, products: [] } as unknown as AccessTokenClaims })).toBeNull();
	const { products, ...silent } = claims(10);
	expect(productsOf({ claims: silent as AccessTokenClaims })).toBeUndefined();
	expect(productsOf({ claims: claims(10, { tenant_id: "another" }) })).toBeUndefined();
});

test("after events may have been missed, reads use the last snapshot and mutations do not", async () => {
	await scene.entitlements.find(scene.tenantId);
	scene.entitlements.dropAll();
	isAway();
	expect(productsOf()).toEqual(["ordering"]);
	await expect(scene.entitlements.mayMutate({ tenantId: scene.tenantId })).rejects.toThrow(
		"the subscription cannot be checked",
	);
});
