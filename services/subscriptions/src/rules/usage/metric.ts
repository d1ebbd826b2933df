import type { UsageWindow } from "@lango/contracts";

/** What is counted, by which limit it is bounded, and over which time. */
export type Metric = {
	code: string;
	/** The limit that bounds it; null: it is only counted. */
	limit: string | null;
	window: UsageWindow;
	description: string;
};

/**
 * Everything that may be reported or consumed (spec §2.5). A limit so many a day is counted by the tenant's day, one on
 * what there is (riders, administrators) stands until it is given back, and all else is counted by the subscription's
 * period. To count something more, add a line.
 */
const table: ReadonlyArray<Omit<Metric, "window">> = [
	{ code: "order_count", limit: "max_orders_per_day", description: "Orders taken" },
	{ code: "email_count", limit: "max_emails_per_day", description: "E-mails sent" },
	{ code: "rider_count", limit: "max_riders", description: "Riders there are" },
	{ code: "admin_count", limit: "max_admins", description: "People with the role admin" },
	{ code: "message_count", limit: null, description: "SMS and WhatsApp messages sent" },
	{ code: "api_call_count", limit: null, description: "Calls of the tenant's own programs" },
];

export const metrics: readonly Metric[] = table.map((metric) => ({
	...metric,
	window: windowOfLimit(metric.limit),
}));

/** The metric of this code, undefined when nobody counts it. */
export function findMetric(code: string): Metric | undefined {
	return metrics.find((metric) => metric.code === code);
}

/** Over which time a limit holds, as its name says. */
export function windowOfLimit(limit: string | null): UsageWindow {
	if (limit === null || limit.endsWith("_per_period")) return "period";
	return limit.endsWith("_per_day") ? "day" : "standing";
}
