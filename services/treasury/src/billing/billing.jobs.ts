import { defineJob, defineRecoveryScan, defineSchedule, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { promptRenewal } from "./prompt-renewal.ts";
import { asksAtMostMs } from "./renewal-step.ts";
import { listUnansweredBills } from "./unanswered-bill.store.ts";
import { removeWithdrawn } from "./withdrawn.store.ts";

/**
 * Asks phones to pay renewals and overages. An error uses up no retry: the asking ends after 20 hours, and
 * has to be answered.
 */
export const promptRenewals = defineJob<Treasury>({
	name: "renewals.prompt",
	timeoutSeconds: 40,
	work: (domain, job) => promptRenewal(domain, tenantIdOf(job), job.id),
	postpones: () => true,
});

const overdueMs = 5 * 60_000;

/** Finds askings that are over and not answered, as their job was lost. */
export const recoverRenewals = defineRecoveryScan<Treasury>({
	job: promptRenewals,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listUnansweredBills(db, { before: new Date(now.getTime() - asksAtMostMs - overdueMs), after, limit }),
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
