import { defineSchedule } from "@lango/jobs";
import { removeEndedGuards } from "../payments/prompt-guard.store.ts";
import type { Treasury } from "../treasury.ts";

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
