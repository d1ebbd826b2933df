import { buildService } from "@lango/chassis";
import { openStand, printOutlets, printPolicy, type Stand, walkForeign, walkTotals } from "@lango/testkit";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ordering } from "../src/service.ts";
import { policy, withCustomers } from "./policy.ts";

let stand: Stand;
beforeAll(async () => {
	const plan = { limits: { max_orders_per_day: -1 } };
	stand = await openStand({ service: ordering, build: buildService, plan });
});
afterAll(() => stand.close());

test("every route responds to every kind of caller as recorded in access.txt", async () => {
	await expect(await printPolicy(stand, policy)).toMatchFileSnapshot("access.txt");
}, 120_000);

test("the total of a list is the number of its items", async () => {
	const { called, wrong } = await walkTotals(stand, policy);
	expect(wrong).toEqual([]);
	expect(called).toBeGreaterThan(2);
}, 60_000);

test("another tenant and its records are not found, on any route, by slug or by id", async () => {
	const { called, answered } = await walkForeign(stand, policy);
	expect(answered).toEqual([]);
	expect(called).toBeGreaterThan(45);
});

test("every route limits people and keys to their outlets as recorded in outlets.txt", async () => {
	await expect(await printOutlets(stand, withCustomers)).toMatchFileSnapshot("outlets.txt");
}, 120_000);
