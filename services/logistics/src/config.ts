import { serviceKey } from "@lango/chassis";

/** The settings of logistics, besides those of every domain service. */
export const settings = {
	usageReportKey: serviceKey({
		purpose: "usage.report",
		because: "the key for reporting riders to the subscription service",
	}),
};
