import { defineSchedule } from "@lango/jobs";
import type { Notifications } from "../parts.ts";
import { purge } from "./purge.ts";

/** Every ten minutes: removes what is older than its retention. */
export const purgeOld = defineSchedule<Pick<Notifications, "db">>({
	name: "messages.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purge(db, now(), signal),
});
