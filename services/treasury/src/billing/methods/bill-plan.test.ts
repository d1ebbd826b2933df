import type { SubscriptionBilling } from "@lango/contracts";
import { expect, test } from "vitest";
import { cardTermsOf, chargesTerms, firstChargeAt, planRequestOf } from "./bill-plan.ts";

const billing: SubscriptionBilling = {
	...{ version: 1, plan: "GROWTH", plan_version: 1, price_minor: 250_050, currency: "USD" },
	...{ interval: "month", period_started_at: null, period_ends_at: "2031-04-03T08:00:00.000Z" },
	...{ cancelled_at: null, balance_minor: 0, open_payment_id: null },
	next_period: { plan: "GROWTH", interval: "year", amount_minor: 250_050 },
};
const terms = { amountMinor: 250_050n, currency: "USD", frequency: "yearly" } as const;

test("a card is charged the next period to the cent, in any currency, from the time at which the paid one ends", () => {
	expect(cardTermsOf(billing)).toEqual(terms);
	expect(planRequestOf(billing, terms)).toEqual({
		...{ name: "Lango GROWTH", interval: "yearly", currency: "USD", amount_minor: 250_050 },
	});
	const ends = new Date("2031-04-03T08:00:00Z");
	expect(firstChargeAt(billing, new Date("2031-04-01T08:00:00Z"))).toEqual(ends);
	expect(firstChargeAt(billing, ends)).toBeUndefined();
	expect(firstChargeAt({ ...billing, period_ends_at: null }, ends)).toBeUndefined();
});

test.each([
	["it is cancelled", { cancelled_at: "2031-03-04T08:00:00Z" }],
	["it costs nothing", { next_period: { ...billing.next_period, amount_minor: 0 } }],
])("no card pays a subscription if %s", (_why, change) => {
	expect(cardTermsOf({ ...billing, ...change })).toBeUndefined();
});

test("a card subscription is replaced if amount, currency or interval of the next period is another one", () => {
	expect(chargesTerms(terms, terms)).toBe(true);
	for (const change of [{ amountMinor: 1n }, { currency: "KES" }, { frequency: "monthly" as const }])
		expect(chargesTerms({ ...terms, ...change }, terms)).toBe(false);
});
