import { defineSchedule } from "@lango/jobs";
import type { Database } from "@lango/postgres";
import { endWarnings } from "./end-warnings.ts";

/** Every ten minutes: ends warnings of tenants whose rates have fallen. */
export const endWarningsOften = defineSchedule<{ db: Database }>({
	name: "reputation.review",
	everySeconds: 600,
	work: ({ db }, { now, signal }) => endWarnings({ db, now }, signal),
});
