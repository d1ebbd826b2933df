import { defineSchedule } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { reportUsage } from "./report-usage.ts";

/** Every minute: reports usage to the subscription service. */
export const reportUsageOften = defineSchedule<Notifications>({
	name: "usage.report",
	everySeconds: 60,
	timeoutSeconds: 300,
	work: (domain, { now, signal }) => reportUsage(domain, now(), signal),
});
