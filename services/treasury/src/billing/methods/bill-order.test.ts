import type { SubscriptionBilling } from "@lango/contracts";
import { expect, test } from "vitest";
import { covers, requestOf, termsOf } from "./bill-order.ts";

const billing: SubscriptionBilling = {
	...{
		version: 1,
		plan: "GROWTH",
		plan_version: 1,
		price_minor: 250_050,
		currency: "KES",
		interval: "month",
	},
	...{ period_started_at: "2031-03-03T08:00:00.000Z", period_ends_at: "2031-04-03T08:00:00.000Z" },
	...{ cancelled_at: null, balance_minor: 0, open_payment_id: null },
	next_period: { plan: "GROWTH", interval: "month", amount_minor: 250_050 },
};
const terms = { amountMinor: 250_100n, frequency: "monthly" } as const;

test("a standing order pays the next period, in whole shillings, from the day on which the paid one ends", () => {
	expect(termsOf(billing)).toEqual(terms);
	const request = { phone: "254712345678", terms, today: "2031-03-05" };
	expect(requestOf(billing, request)).toMatchObject({
		...{ amount_minor: 250_100, frequency: "monthly", start_on: "2031-04-03", end_on: "2036-04-01" },
	});
	const over = requestOf({ ...billing, period_ends_at: "2031-02-01T08:00:00Z" }, request);
	expect(over.start_on).toBe("2031-03-05");
});

test.each([
	["it is cancelled", { cancelled_at: "2031-03-04T08:00:00Z" }],
	["it costs nothing", { next_period: { ...billing.next_period, amount_minor: 0 } }],
	["it is not in shillings", { currency: "USD" }],
])("no standing order can pay a subscription if %s", (_why, change) => {
	expect(termsOf({ ...billing, ...change })).toBeUndefined();
});

test("an order is replaced if the amount or the interval of the next period is another one", () => {
	expect(covers(terms, terms)).toBe(true);
	expect(covers({ ...terms, amountMinor: 250_000n }, terms)).toBe(false);
	expect(covers({ ...terms, frequency: "yearly" }, terms)).toBe(false);
});
