import { expect, test } from "vitest";
import { chosenFirst, gainOf, isGain, joinTerms, offerOf, pricePerYear } from "./offer.ts";

const subscription = (status: "TRIAL" | "ACTIVE" | "PAST_DUE" | "EXPIRED", more: object = {}) => ({
	status,
	plan: "GROWTH",
	trial_end: "2026-03-15T12:00:00Z",
	pending_change: null,
	...more,
});

test.each([
	["without a subscription", { found: null, plan: "GROWTH" }, "trial"],
	["in a trial its own plan", { found: subscription("TRIAL"), plan: "GROWTH" }, "pay_yours"],
	["in a trial another plan", { found: subscription("TRIAL"), plan: "STARTER" }, "switch"],
	[
		"expired without ever a trial",
		{ found: subscription("EXPIRED", { trial_end: null }), plan: "STARTER" },
		"trial",
	],
	["expired after a trial, its own plan", { found: subscription("EXPIRED"), plan: "GROWTH" }, "pay_yours"],
	["expired after a trial, another plan", { found: subscription("EXPIRED"), plan: "STARTER" }, "pay"],
	["overdue, its own plan", { found: subscription("PAST_DUE"), plan: "GROWTH" }, "pay_yours"],
	["overdue, another plan", { found: subscription("PAST_DUE"), plan: "STARTER" }, "pay"],
	["paid, its own plan", { found: subscription("ACTIVE"), plan: "GROWTH" }, "yours"],
	["paid, another plan", { found: subscription("ACTIVE"), plan: "STARTER" }, "change"],
	[
		"paid, the plan that is scheduled",
		{
			found: subscription("ACTIVE", { pending_change: { plan: "STARTER", effective_at: null } }),
			plan: "STARTER",
		},
		"coming",
	],
] as const)("%s: the offer follows from the state", (_what, { found, plan }, offer) => {
	expect(offerOf(found, plan)).toBe(offer);
});

const starter = {
	features: ["customer_portal"],
	products: ["ordering"],
	limits: { max_riders: 0, max_admins: 1 },
};
const growth = {
	features: ["customer_portal", "multi_outlet"],
	products: ["ordering", "logistics"],
	limits: { max_riders: 15, max_admins: -1 },
};

test("a gain consists of new features, new products and higher limits", () => {
	expect(gainOf(starter, growth)).toEqual({
		features: ["multi_outlet"],
		products: ["logistics"],
		limits: [
			{ limit: "max_riders", from: 0, to: 15 },
			{ limit: "max_admins", from: 1, to: -1 },
		],
	});
});

test("a smaller plan has no gain", () => {
	expect(isGain(gainOf(growth, starter))).toBe(false);
	expect(isGain(gainOf(starter, growth))).toBe(true);
});

test("the limits of a plan and its add-ons are added, and unlimited stays unlimited", () => {
	const addOn = {
		features: ["route_optimization"],
		products: ["pos"],
		limits: { max_riders: 10, max_admins: 3 },
	};
	expect(joinTerms(growth, [addOn])).toEqual({
		features: ["customer_portal", "multi_outlet", "route_optimization"],
		products: ["ordering", "logistics", "pos"],
		limits: { max_riders: 25, max_admins: -1 },
	});
});

test("a yearly price is compared with twelve monthly ones", () => {
	expect(pricePerYear({ price_minor: 100, interval: "month" })).toBe(1_200);
	expect(pricePerYear({ price_minor: 1_000, interval: "year" })).toBe(1_000);
});

test.each([
	["GROWTH", ["GROWTH", "STARTER", "PROFESSIONAL"]],
	["STARTER", ["STARTER", "GROWTH", "PROFESSIONAL"]],
	["RETIRED", ["STARTER", "GROWTH", "PROFESSIONAL"]],
	[undefined, ["STARTER", "GROWTH", "PROFESSIONAL"]],
])("the plan chosen at registration, %s, is first, and the others keep their order", (chosen, codes) => {
	const plans = ["STARTER", "GROWTH", "PROFESSIONAL"].map((code) => ({ code }));
	expect(chosenFirst(plans, chosen).map(({ code }) => code)).toEqual(codes);
});
