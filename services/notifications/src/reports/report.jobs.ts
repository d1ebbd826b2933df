import { defineSchedule } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { applyReports } from "./apply-reports.ts";

/**
 * Applies reports whose delivery was not known when they came, or whose process stopped before it applied
 * them.
 */
export const applyReportsOften = defineSchedule<Notifications>({
	name: "reports.apply",
	everySeconds: 10,
	timeoutSeconds: 120,
	work: (domain, { signal }) => applyReports(domain, signal),
});
