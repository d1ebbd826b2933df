import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, walkForeign, walkTotals } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { hospital } from "../src/service.ts";

const policy = { base: "/api/v1/:tenant/hospital" };
const stand = setUp(() => openStand({ service: hospital, build: buildService }));

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 60_000);

test("the total of a list is the number of its items", async () => {
	const { called, wrong } = await walkTotals(stand, policy);
	expect(wrong).toEqual([]);
	expect(called).toBeGreaterThan(2);
}, 60_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(30);
});

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
