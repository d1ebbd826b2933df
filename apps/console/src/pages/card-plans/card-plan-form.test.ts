import { expect, test } from "vitest";
import { cardName, checkPlan, checkSubscription, readPlan, readSubscription } from "./card-plan-form.ts";

function entered(fields: Record<string, string>) {
	const form = new FormData();
	for (const [name, value] of Object.entries(fields)) form.set(name, value);
	return form;
}
const filled = { name: "Gym", interval: "monthly", amount_minor: "2500.50" };
const words = { nameMissing: "name", amountInvalid: "amount_minor" };

test.each([
	[{ name: " " }, "name"],
	[{ amount_minor: "" }, "amount_minor"],
	[{ amount_minor: "0" }, "amount_minor"],
	[{ amount_minor: "20000000000" }, "amount_minor"],
])("a plan with %j is refused at its field", (change, field) => {
	const checked = checkPlan(entered({ ...filled, ...change }), { currency: "KES", words });
	expect(checked).toEqual([{ message: field, field }]);
});

test("a plan is sent in lowest units", () => {
	expect(checkPlan(entered(filled), { currency: "KES", words })).toEqual([]);
	expect(readPlan(entered(filled), "KES")).toEqual({
		...{ name: "Gym", interval: "monthly", amount_minor: 250_050, currency: "KES" },
	});
});

test("a card subscription needs a plan and a card", () => {
	const missing = { planMissing: "plan_id", cardMissing: "authorization_id" };
	const chosen = { plan_id: "1", authorization_id: "2" };
	for (const field of ["plan_id", "authorization_id"])
		expect(
			checkSubscription(entered({ ...chosen, [field]: "" }), missing).map((error) => error.field),
		).toEqual([field]);
	expect(checkSubscription(entered(chosen), missing)).toEqual([]);
	expect(readSubscription(entered(chosen))).toEqual(chosen);
});

test("a card is shown by its brand and its last four digits", () => {
	expect(cardName({ brand: "visa", last4: "4081" })).toBe("Visa •••• 4081");
});
