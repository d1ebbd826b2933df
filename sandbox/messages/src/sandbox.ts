import type { Clock, Ids } from "@lango/sandbox-base";
import type { Faults } from "./faults/choose-fault.ts";
import type { Records } from "./record/records.ts";
import type { Reports } from "./reports/reports.ts";

/** What the parts of a sandbox share. */
export type Sandbox = {
	records: Records;
	faults: Faults;
	clock: Clock;
	ids: Ids;
	reports: Reports;
	/** The delay of the special recipients that answer late, in milliseconds. */
	slowMs: number;
};
