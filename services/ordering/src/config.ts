import { integer } from "@lango/chassis";

/** The settings of ordering, besides those of every domain service. */
export const settings = {
	customerSharePercent: integer({
		default: 20,
		min: 1,
		max: 100,
		because:
			"how much of a tenant's max_orders_per_day one customer may use, in per cent; at least one order, also where this is less",
	}),
};

export type Settings = typeof settings;
