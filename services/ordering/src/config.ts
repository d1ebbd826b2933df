import { integer, serviceKey } from "@lango/chassis";

/** The settings of ordering, besides those of every domain service. */
export const settings = {
	usageReportKey: serviceKey({
		purpose: "usage.report",
		because: "the key for reporting orders to the subscription service",
	}),
	customerSharePercent: integer({
		default: 20,
		min: 1,
		max: 100,
		because:
			"the share of a tenant's max_orders_per_day that one customer can use, in per cent; at least one order",
	}),
};

export type Settings = typeof settings;
