import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, walkForeign } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { treasury } from "../src/service.ts";

const policy = {
	base: "/api/v1/:tenant/treasury",
	samples: {
		"GET /api/v1/platform/accounts/:id/postings": () => ({ params: { id: crypto.randomUUID() } }),
	},
};
const encryptionKeys = `test:${Buffer.alloc(32, 7).toString("base64")}`;
const environment = { TREASURY_KEY_ENCRYPTION_KEYS: encryptionKeys };
const stand = setUp(() => openStand({ service: treasury, build: buildService, environment }));

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(30);
}, 120_000);

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
