import { defineSchedule } from "@lango/jobs";
import type { Pos } from "../pos.ts";
import { purgeOldTills } from "./purge-tills.ts";

/** Every ten minutes: sessions of tills that have run out, and forgotten counts of wrong PINs, go. */
export const purgeTillSessions = defineSchedule<Pick<Pos, "db">>({
	name: "till-sessions.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purgeOldTills(db, now(), signal),
});
