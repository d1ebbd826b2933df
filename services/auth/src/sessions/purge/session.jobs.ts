import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../../dependencies.ts";
import { purge } from "./purge.ts";

/** Every ten minutes: codes, tokens and sessions that have had their time go. */
export const purgeSessions = defineSchedule<Pick<Dependencies, "db">>({
	name: "sessions.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purge(db, now(), signal),
});

/** Every ten minutes: sessions that nobody used for long go. */
export const purgeIdleSessions = defineSchedule<Pick<Dependencies, "purgeIdle">>({
	name: "sessions.purge-idle",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ purgeIdle }, { now, signal }) => purgeIdle(now(), signal),
});
