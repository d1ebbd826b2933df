import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, walkForeign, walkTotals } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { logistics } from "../src/service.ts";
import { policy } from "./policy.ts";

const stand = setUp(() =>
	openStand({ service: logistics, build: buildService, plan: { limits: { max_riders: -1 } } }),
);

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
	expect(called).toBeGreaterThan(40);
});

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, policy)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
