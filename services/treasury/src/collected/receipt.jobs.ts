import { Failure } from "@lango/chassis";
import { defineJob, defineSchedule, tenantIdOf } from "@lango/jobs";
import type { Treasury } from "../treasury.ts";
import { removeHintQuestions, removeUnverifiedReceipts } from "./unverified.store.ts";
import { verifyReceipt } from "./verify-receipt.ts";

/** The asker of questions that no person asks: a confirmation whose sender is not trusted is their reason. */
const askedByHint = { kind: "service", id: "treasury" } as const;

/**
 * Asks the gateway about a receipt because of a confirmation whose sender is not trusted: once, so that
 * forged ones use up no other question. If the gateway does not take it, a person can ask.
 */
export const askAboutReceipts = defineJob<Treasury>({
	name: "receipts.ask",
	timeoutSeconds: 40,
	work: async (domain, job) => {
		const asking = { tenantId: tenantIdOf(job), receiptId: job.id, createdBy: askedByHint, isHint: true };
		await verifyReceipt(domain, asking).catch((error) => {
			if (!(error instanceof Failure)) throw error;
			domain.log.info(
				{ receipt: job.id, code: error.code },
				"a receipt that is not verified was not asked about",
			);
		});
	},
});

const unverifiedKeptMs = 7 * 24 * 3_600_000;
const removedAtOnce = 5_000;

/**
 * Removes receipts that were not confirmed within seven days, with what was said of them, and the questions
 * that such confirmations caused: forging makes no table grow without end.
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
