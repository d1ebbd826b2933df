import { defineJob, defineRecoveryScan, defineSchedule, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { followReceipt } from "./follow-receipt.ts";
import { listDueReceipts, removeHintQuestions, removeUnverifiedReceipts } from "./unverified.store.ts";

/** Asks the gateway about a receipt because of a confirmation whose sender is not trusted. */
export const askAboutReceipts = defineJob<Treasury>({
	name: "receipts.ask",
	timeoutSeconds: 40,
	work: (domain, job) => followReceipt(domain, { tenantId: tenantIdOf(job), receiptId: job.id }),
});

const overdueMs = 60_000;

/** Finds receipts that are not verified and whose job was lost. */
export const recoverReceipts = defineRecoveryScan<Treasury>({
	job: askAboutReceipts,
	everySeconds: 300,
	find: ({ db }, { now, after, limit }) =>
		listDueReceipts(db, { before: new Date(now.getTime() - overdueMs), after, limit }),
});

const unverifiedKeptMs = 7 * 24 * 3_600_000;
const removedAtOnce = 5_000;

/**
 * Removes receipts that the gateway did not confirm within seven days, with what was said of them, and the
 * questions that such confirmations caused: forging makes no table grow without end. Those about which it
 * gave no answer stay 90 days: they may be real money.
 */
export const purgeUnverified = defineSchedule<Treasury>({
	name: "receipts.purge-unverified",
	everySeconds: 3_600,
	work: async ({ db }, { now, signal }) => {
		const before = new Date(now().getTime() - unverifiedKeptMs);
		for (const remove of [removeUnverifiedReceipts, removeHintQuestions])
			while (!signal.aborted && (await remove(db, { before, limit: removedAtOnce })) === removedAtOnce);
	},
});
