import { defineSchedule } from "@lango/jobs";
import type { Dependencies } from "../dependencies.ts";
import { purgeLinks } from "./purge-links.ts";

/** Every ten minutes: links that ran out go. */
export const purgeOldLinks = defineSchedule<Pick<Dependencies, "db">>({
	name: "links.purge",
	everySeconds: 600,
	timeoutSeconds: 300,
	work: ({ db }, { now, signal }) => purgeLinks(db, now(), signal),
});
