import { expect, test } from "vitest";
import { droppableAddOns, lossOfDropping, mustAcknowledge } from "./kept-add-ons.ts";

const plan = { products: ["ordering"], features: ["customer_portal"], limits: { max_riders: 5 } };
const addOns = [
	{ code: "pos", products: ["pos"], features: ["customer_portal"], limits: {} },
	{ code: "riders", products: [], features: ["route_optimization"], limits: { max_riders: 10 } },
	{ code: "fleet", products: [], features: [], limits: { max_riders: -1 } },
];
const none = { products_lost: [], features_lost: [], limits_lowered: [], limits_exceeded: [] };

test("keeping every add-on loses nothing", () => {
	const ownAddOns = ["pos", "riders"];
	expect(lossOfDropping({ plan, addOns, ownAddOns, kept: ownAddOns })).toEqual(none);
});

test("removing an add-on loses its products, features and limits, but not those of the plan", () => {
	const ownAddOns = ["pos", "riders"];
	expect(lossOfDropping({ plan, addOns, ownAddOns, kept: [] })).toEqual({
		products_lost: ["pos"],
		features_lost: ["route_optimization"],
		limits_lowered: [{ limit: "max_riders", from: 15, to: 5 }],
		limits_exceeded: [],
	});
});

test("a limit that another add-on keeps unlimited is not lowered, and an unlimited one that is removed is", () => {
	const ownAddOns = ["riders", "fleet"];
	expect(lossOfDropping({ plan, addOns, ownAddOns, kept: ["fleet"] }).limits_lowered).toEqual([]);
	expect(lossOfDropping({ plan, addOns, ownAddOns, kept: ["riders"] }).limits_lowered).toEqual([
		{ limit: "max_riders", from: -1, to: 15 },
	]);
});

test("an add-on that is not in the catalogue any more can be removed", () => {
	expect(lossOfDropping({ plan, addOns, ownAddOns: ["retired"], kept: [] })).toEqual(none);
});

test.each([
	["nothing is lost", { acknowledgement_required: false, add_ons: ["pos"] }, false],
	["the service requires it", { acknowledgement_required: true, add_ons: ["pos"] }, true],
	["an add-on is removed", { acknowledgement_required: false, add_ons: [] }, true],
])("whether a checkout must be acknowledged if %s", (_what, checkout, isRequired) => {
	expect(mustAcknowledge(checkout, ["pos"])).toBe(isRequired);
});

test("an add-on that has not started cannot be removed at a checkout", () => {
	const pos = { code: "pos", starts_at: null };
	const riders = { code: "riders", starts_at: "2026-03-15T12:00:00Z" };
	expect(droppableAddOns([pos, riders])).toEqual([pos]);
});
