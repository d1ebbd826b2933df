import type { AddOn, Plan, Subscription, TenantAddOn } from "@lango/contracts";
import { expect, test } from "vitest";
import { readRequestedChange } from "./requested-change.ts";

const terms = { products: ["ordering"], features: [], limits: {} };
const priced = (code: string, price_minor: number, interval: "month" | "year" = "month") => ({
	code,
	name: code.toLowerCase(),
	version: 1,
	price_minor,
	currency: "KES",
	interval,
	...terms,
});
const plan = (code: string, price: number, interval?: "year"): Plan => ({
	...priced(code, price, interval),
	trial_days: 14,
	grace_days: 7,
	overage: {},
});
const plans = [plan("STARTER", 100), plan("GROWTH", 300), plan("GROWTH_YEAR", 3_000, "year")];
const addOns: AddOn[] = [priced("pos", 50), { ...priced("riders", 20), limits: { max_riders: 10 } }];
const own: TenantAddOn = { ...priced("pos", 40), starts_at: null, ends_at: null };
const subscription = (status: Subscription["status"]) =>
	({
		...terms,
		status,
		plan: "STARTER",
		trial_end: "2026-03-15T12:00:00Z",
		pending_change: null,
	}) as unknown as Subscription;
const known = (status: Subscription["status"]) => ({
	subscription: subscription(status),
	plans,
	addOns,
	ownAddOns: [own],
	ownPrice: { price_minor: 90, currency: "KES", interval: "month" as const },
});

test("a plan is paid for during a trial, and changed by a quote in a paid period", () => {
	expect(readRequestedChange({ plan: "STARTER" }, known("TRIAL"))).toMatchObject({
		kind: "pay",
		plan: { code: "STARTER" },
	});
	expect(readRequestedChange({ plan: "GROWTH" }, known("ACTIVE"))).toMatchObject({
		kind: "change",
		what: "plan",
		body: { plan: "GROWTH" },
		price: { minor: 340, currency: "KES", interval: "month" },
	});
});

test("add-ons of a yearly plan are paid for twelve months", () => {
	expect(readRequestedChange({ plan: "GROWTH_YEAR" }, known("ACTIVE"))).toMatchObject({
		price: { minor: 3_480, interval: "year" },
	});
});

test("an add-on is added to the tenant's others, at the tenant's price of the plan", () => {
	expect(readRequestedChange({ add: "riders" }, known("ACTIVE"))).toMatchObject({
		what: "add",
		body: { add_ons: ["pos", "riders"] },
		gain: { limits: [{ limit: "max_riders", from: 0, to: 10 }] },
		price: { minor: 150 },
	});
});

test("an add-on can be removed alone, and nothing is gained", () => {
	expect(readRequestedChange({ drop: "pos" }, known("ACTIVE"))).toMatchObject({
		what: "drop",
		body: { add_ons: [] },
		gain: { features: [], products: [], limits: [] },
		price: { minor: 90 },
	});
});

test.each([
	["the current plan", { plan: "STARTER" }, "ACTIVE"],
	["a plan that is not on offer", { plan: "GOLD" }, "ACTIVE"],
	["another plan in a trial, which costs nothing", { plan: "GROWTH" }, "TRIAL"],
	["a current add-on", { add: "pos" }, "ACTIVE"],
	["an add-on that is not on offer", { add: "gold" }, "ACTIVE"],
	["removing an add-on that the tenant does not have", { drop: "riders" }, "ACTIVE"],
	["an add-on before a plan is paid", { add: "riders" }, "TRIAL"],
	["no parameter", {}, "ACTIVE"],
] as const)("%s is not a change", (_what, search, status) => {
	expect(readRequestedChange(search, known(status))).toBeUndefined();
});
