import { expect, test } from "vitest";
import { moneyText, readMoney } from "./money-input.ts";
import { capField, checkVersion, limitField, readVersion, unitField } from "./version-form.ts";

const words = {
	currency: "currency",
	price: "price",
	days: "days",
	limit: "limit",
	unit: "unit",
	cap: "cap",
};
const codes = { limits: ["max_riders", "max_orders_per_day"] };
const orders = "max_orders_per_day";
const plan = {
	price: "4500",
	currency: "kes",
	interval: "month",
	bundle: "starter",
	trial_days: "14",
	grace_days: "7",
	[limitField("max_riders")]: "-1",
	[limitField(orders)]: "100",
	[unitField(orders)]: "5.50",
	[capField(orders)]: "200",
};

function entered(fields: Readonly<Record<string, string>>): FormData {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.append(name, value);
	return form;
}

test.each([
	["1500", "KES", 150_000],
	["1500.5", "KES", 150_050],
	["1 500,25", "KES", 150_025],
	["1500", "UGX", 1_500],
	["0", "USD", 0],
	["1500.5", "UGX", undefined],
	["1.234", "KES", undefined],
	["-1", "KES", undefined],
	["a lot", "KES", undefined],
	["10", "shilling", undefined],
])("%s of %s is %j in minor units", (text, currency, minor) => {
	expect(readMoney(text, currency)).toBe(minor);
});

test("a formatted amount can be read again", () => {
	expect([moneyText(150_050, "KES"), moneyText(1_500, "UGX")]).toEqual(["1500.50", "1500"]);
});

test("a plan is read with its limits and overage prices, in minor units", () => {
	const version = readVersion(entered(plan), "plans", codes);
	expect(version).toEqual({
		price_minor: 450_000,
		currency: "KES",
		interval: "month",
		bundle: "starter",
		trial_days: 14,
		grace_days: 7,
		features: [],
		limits: { max_riders: -1, max_orders_per_day: 100 },
		overage: { max_orders_per_day: { unit_price_minor: 550, cap: 200 } },
	});
	expect(checkVersion(version, words)).toEqual([]);
});

test("an add-on has its own products, and neither a bundle nor days", () => {
	const version = readVersion(entered({ ...plan, products: "pos" }), "add-ons", codes);
	expect(version).toMatchObject({ products: ["pos"], price_minor: 450_000 });
	expect(version).not.toHaveProperty("bundle");
	expect(version).not.toHaveProperty("trial_days");
	expect(version).not.toHaveProperty("overage");
});

test.each([
	["an unknown currency", { currency: "shilling" }, "currency"],
	["no price", { price: "" }, "price"],
	["half a day of trial", { trial_days: "0.5" }, "trial_days"],
	["more than a year of grace", { grace_days: "366" }, "grace_days"],
	["a negative limit", { [limitField("max_riders")]: "-2" }, limitField("max_riders")],
	["a free unit over the limit", { [unitField(orders)]: "0" }, unitField(orders)],
	["units over the limit without a maximum", { [capField(orders)]: "" }, capField(orders)],
])("%s is refused at its field", (_what, more, field) => {
	expect(
		checkVersion(readVersion(entered({ ...plan, ...more }), "plans", codes), words).map(
			(error) => error.field,
		),
	).toEqual([field]);
});
