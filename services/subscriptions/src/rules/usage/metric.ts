import type { UsageWindow } from "@lango/contracts";

/** What is counted, the limit that bounds it, and the window. */
export type Metric = {
	code: string;
	/** The limit that bounds it; null: unbounded. */
	limit: string | null;
	window: UsageWindow;
	description: string;
};

/**
 * Everything that can be reported or consumed (spec §2.5). The window follows from the limit: a limit per day
 * counts by the tenant's day, a limit on existing things (riders, administrators) counts until they are
 * released, and everything else counts by the subscription's period. To count something else, add a line.
 */
const table: ReadonlyArray<Omit<Metric, "window">> = [
	{ code: "order_count", limit: "max_orders_per_day", description: "Orders taken" },
	{ code: "email_count", limit: "max_emails_per_day", description: "E-mails sent" },
	{ code: "rider_count", limit: "max_riders", description: "Riders" },
	{ code: "admin_count", limit: "max_admins", description: "People with the role admin" },
	{ code: "message_count", limit: null, description: "SMS and WhatsApp messages sent" },
	{ code: "api_call_count", limit: null, description: "Calls of the tenant's own programs" },
];

export const metrics: readonly Metric[] = table.map((metric) => ({
	...metric,
	window: windowOfLimit(metric.limit),
}));

/** The metric of this code, or undefined. */
export function findMetric(code: string): Metric | undefined {
	return metrics.find((metric) => metric.code === code);
}

/** The window of a limit, from its name. */
export function windowOfLimit(limit: string | null): UsageWindow {
	if (limit === null || limit.endsWith("_per_period")) return "period";
	return limit.endsWith("_per_day") ? "day" : "standing";
}
