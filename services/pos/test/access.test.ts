import { randomUUID } from "node:crypto";
import { buildService } from "@lango/chassis";
import {
	openStand,
	printOutlets,
	printPolicy,
	routesOfDocument,
	type Stand,
	sceneOf,
	walkForeign,
} from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { pos } from "../src/service.ts";
import { policy, tokenOfTill } from "./policy.ts";
import { encryptionKey, posUrl } from "./shop.ts";

let stand: Stand;
beforeAll(async () => {
	const environment = { POS_KEY_ENCRYPTION_KEYS: encryptionKey, POS_URL: posUrl };
	stand = await openStand({ service: pos, build: buildService, environment });
});
afterAll(() => stand.close());

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(50);
}, 120_000);

test("a till of another tenant finds nothing, on any route, by slug or by id", async () => {
	const { uhai, kahawa } = stand.tenants;
	const token = await tokenOfTill(sceneOf(stand, uhai));
	const guarded = routesOfDocument(stand.built.app.swagger(), "/api/v1/{tenant}/").filter(
		({ url }) => !url.endsWith("/profile"),
	);
	const answers = new Set<string>();
	for (const { method, url } of guarded)
		for (const address of [kahawa.slug, kahawa.id]) {
			const path = url.replace(":tenant", address).replace(":user_id", randomUUID());
			const { status, body } = await stand.call({ method, url: path, token });
			answers.add(`${status} ${body.code}`);
		}
	expect(guarded.length).toBeGreaterThan(20);
	expect([...answers]).toEqual(["404 tenant_not_found"]);
	expect((await stand.call({ method: "GET", url: `/api/v1/${uhai.slug}/pos/auth/me`, token })).status).toBe(
		200,
	);
});

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
