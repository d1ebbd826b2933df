import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../../dependencies.ts";
import { purge } from "./purge.ts";

/** Every ten minutes: removes expired codes, tokens and sessions. */
export const purgeSessions = defineSchedule<Pick<Dependencies, "db">>({
	name: "sessions.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purge(db, now(), signal),
});

/** Every ten minutes: removes idle sessions. */
export const purgeIdleSessions = defineSchedule<Pick<Dependencies, "purgeIdle">>({
	name: "sessions.purge-idle",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ purgeIdle }, { now, signal }) => purgeIdle(now(), signal),
});
