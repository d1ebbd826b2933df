import { defineSchedule } from "@lango/jobs";
import type { Pos } from "../pos.ts";
import { purgeOldTills } from "./purge-tills.ts";

/** Removes expired till sessions and expired counts of wrong PINs every ten minutes. */
export const purgeTillSessions = defineSchedule<Pick<Pos, "db">>({
	name: "till-sessions.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purgeOldTills(db, now(), signal),
});
