import { defineJob, defineSchedule, tenantIdOf } from "@lango/jobs";
import { isHalted } from "../halts/is-halted.ts";
import { removeEndedGuards } from "../payments/prompt-guard.store.ts";
import type { Treasury } from "../treasury.ts";
import { retryPrompt } from "./retry-prompt.ts";

/** Asks phones again whose prompts the gateway did not take. It ends an hour after the prompt. */
export const retryPrompts = defineJob<Treasury>({
	name: "prompts.retry",
	timeoutSeconds: 40,
	work: (domain, job) => retryPrompt(domain, tenantIdOf(job), job.id),
	postpones: isHalted,
});

const removedAtOnce = 5_000;

/** Removes the rights of prompts that have ended. */
export const purgeEndedGuards = defineSchedule<Treasury>({
	name: "prompts.purge",
	everySeconds: 3_600,
	work: async ({ db }, { now, signal }) => {
		const before = now();
		while (
			!signal.aborted &&
			(await removeEndedGuards(db, { before, limit: removedAtOnce })) === removedAtOnce
		);
	},
});
