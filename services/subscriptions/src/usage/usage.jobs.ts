import { defineSchedule } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { publishDueWarnings } from "./limit-warning.ts";
import { purgeInTime, purgeSeconds } from "./purge-usage.ts";

/** Every ten minutes: removes expired counters and reports. */
export const purgeOldUsage = defineSchedule<Parameters<typeof purgeInTime>[0]>({
	name: "usage.purge",
	everySeconds: 600,
	timeoutSeconds: purgeSeconds,
	work: purgeInTime,
});

/** Every ten minutes: publishes limit warnings that were missed. */
export const publishLimitWarnings = defineSchedule<{ db: Database }>({
	name: "usage.warn",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: async ({ db }, { now }) => void (await publishDueWarnings(db, now())),
});
