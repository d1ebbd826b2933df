import { serviceKey } from "@lango/chassis";

/** The settings of logistics, besides those of every domain service. */
export const settings = {
	usageReportKey: serviceKey({
		purpose: "usage.report",
		because: "the key with which riders are reported to the subscription service",
	}),
};
