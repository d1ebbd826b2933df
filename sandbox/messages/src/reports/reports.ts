import type { ReportPlan } from "../faults/fault.ts";
import type { Arrival } from "../record/arrival.ts";

/** Sends what the providers report about the messages they took. */
export type Reports = {
	/** Plans the reports of a message. */
	plan(arrival: Arrival, plan: ReportPlan): void;
};
