import { integer, serviceKey } from "@lango/chassis";

/** The settings of ordering, besides those of every domain service. */
export const settings = {
	usageReportKey: serviceKey({
		purpose: "usage.report",
		because: "the key by which orders are reported to the subscription service",
	}),
	customerSharePercent: integer({
		default: 20,
		min: 1,
		max: 100,
		because:
			"how much of a tenant's max_orders_per_day one customer may use, in per cent; at least one order, also where this is less",
	}),
};

export type Settings = typeof settings;
