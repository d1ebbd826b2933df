import { defineJob, defineSchedule, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { promptRenewal } from "./prompt-renewal.ts";
import { removeWithdrawn } from "./withdrawn.store.ts";

/** Asks phones to pay renewals and overages. */
export const promptRenewals = defineJob<Treasury>({
	name: "renewals.prompt",
	timeoutSeconds: 40,
	work: (domain, job) => promptRenewal(domain, tenantIdOf(job), job.id),
});

const withdrawnKeptMs = 90 * 24 * 3_600_000;
const removedAtOnce = 5_000;

/** Removes withdrawn operations after 90 days: no service asks for them again. */
export const purgeWithdrawn = defineSchedule<Treasury>({
	name: "withdrawn.purge",
	everySeconds: 86_400,
	work: async ({ db }, { now, signal }) => {
		const before = new Date(now().getTime() - withdrawnKeptMs);
		while (
			!signal.aborted &&
			(await removeWithdrawn(db, { before, limit: removedAtOnce })) === removedAtOnce
		);
	},
});
