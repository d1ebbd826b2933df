import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { listDueSchedules } from "../../gateways/shortcodes/payout-config.store.ts";
import type { Treasury } from "../../treasury.ts";
import { askScheduled } from "./ask-scheduled.ts";

/** Asks for the payouts of a tenant that are due by its schedule. */
export const schedulePayouts = defineJob<Treasury>({
	name: "payouts.schedule",
	work: (domain, job) => askScheduled(domain, tenantIdOf(job)),
});

/** Finds them within five minutes after 06:00. */
export const findDuePayouts = defineRecoveryScan<Treasury>({
	job: schedulePayouts,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) => listDueSchedules(db, { now, after, limit }),
});
