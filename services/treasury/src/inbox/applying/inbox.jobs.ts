import { defineJob, defineRecoveryScan, defineSchedule } from "@lango/jobs";
import type { Treasury } from "../../treasury.ts";
import { removeEndedTokens } from "../callback-token.store.ts";
import { listUnapplied, removeOld, removeUntrusted } from "../delivery.store.ts";
import { applyJob } from "../receive-delivery.ts";
import { applyObject } from "./apply-delivery.ts";

const lostAfterMs = 2 * 60_000;
const keptMs = 90 * 24 * 3_600_000;
const untrustedKeptMs = 7 * 24 * 3_600_000;
const removedAtOnce = 5_000;

/** Applies the deliveries of one object, in their order. */
export const applyDeliveries = defineJob<Treasury>({
	name: applyJob.name,
	// Some connections of the pool stay free: storing what arrives does not wait for what is applied.
	atOnce: 3,
	retries: 12,
	retryDelaySeconds: 1,
	retryDelayMaxSeconds: 3_600,
	work: (treasury, { id }) => applyObject(treasury, id),
});

/** Finds deliveries whose job was lost, for example those that came while a backup was restored. */
export const recoverDeliveries = defineRecoveryScan<Treasury>({
	job: applyDeliveries,
	everySeconds: 60,
	find: ({ db }, { now, after, limit }) =>
		listUnapplied(db, { before: new Date(now.getTime() - lostAfterMs), after, limit }),
});

/**
 * Removes what was applied or ignored after 90 days, and what was ignored of senders who are not trusted
 * after seven: forging fills no disk. What is parked stays.
 */
export const purgeOldDeliveries = defineSchedule<Treasury>({
	name: "inbox.purge",
	everySeconds: 3_600,
	work: async ({ db }, { now, signal }) => {
		const removals = [
			{ remove: removeUntrusted, keptMs: untrustedKeptMs },
			{ remove: removeOld, keptMs },
		];
		for (const removal of removals) {
			const due = { before: new Date(now().getTime() - removal.keptMs), limit: removedAtOnce };
			while (!signal.aborted && (await removal.remove(db, due)) === removedAtOnce);
		}
	},
});

/** Removes tokens in the addresses of callbacks whose time is over: what comes there later is a hint. */
export const purgeTokens = defineSchedule<Treasury>({
	name: "tokens.purge",
	everySeconds: 3_600,
	work: async ({ db }, { now, signal }) => {
		const due = { before: now(), limit: removedAtOnce };
		while (!signal.aborted && (await removeEndedTokens(db, due)) === removedAtOnce);
	},
});
