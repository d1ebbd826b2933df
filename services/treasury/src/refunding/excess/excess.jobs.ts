import { defineJob, defineRecoveryScan, tenantIdOf } from "@lango/jobs";
import { isHalted } from "../../halts/is-halted.ts";
import type { Treasury } from "../../treasury.ts";
import { listUnreturned } from "./excess.store.ts";
import { refundExcess } from "./refund-excess.ts";

/** Returns what a payer paid too much. The id is that of the receipt; it is tried again for days. */
export const refundExcesses = defineJob<Treasury>({
	name: "excess.refund",
	retries: 30,
	retryDelaySeconds: 60,
	retryDelayMaxSeconds: 6 * 3_600,
	work: (domain, job) => refundExcess(domain, { tenantId: tenantIdOf(job), receiptId: job.id }),
	postpones: isHalted,
});

/** Its job waits for a quarter of an hour, and is tried for days. */
const overdueMs = 1_800_000;
const lookedForMs = 7 * 86_400_000;

/** Finds what was paid too much and whose job was lost. */
export const recoverExcesses = defineRecoveryScan<Treasury>({
	job: refundExcesses,
	everySeconds: 3_600,
	find: ({ db }, { now, after, limit }) => {
		const [since, before] = [new Date(now.getTime() - lookedForMs), new Date(now.getTime() - overdueMs)];
		return listUnreturned(db, { since, before, after, limit });
	},
});
