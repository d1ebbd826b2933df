import { expect, test } from "vitest";
import type { AddOnVersion, PlanVersion } from "../terms/plan.ts";
import { chargesOfPeriod } from "./amount.ts";

const terms = { products: [], features: [], limits: {}, interval: "month" as const };
const plan = {
	...terms,
	id: "p",
	code: "GROWTH",
	priceMinor: 100n,
	currency: "KES",
} as unknown as PlanVersion;
const addOn = (currency: string) =>
	({ ...terms, id: "a", code: "pos", priceMinor: 5n, currency }) as unknown as AddOnVersion;

test("prices in two currencies are never added", () => {
	const sum = chargesOfPeriod({ plan, addOns: [addOn("KES")] }).reduce(
		(all, one) => all + one.amountMinor,
		0n,
	);
	expect(sum).toBe(105n);
	expect(() => chargesOfPeriod({ plan, addOns: [addOn("USD")] })).toThrow(
		"pos in USD cannot be charged with a plan in KES",
	);
});
