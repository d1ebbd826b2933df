import { setTimeout as sleep } from "node:timers/promises";
import type { Till } from "./till.ts";

/** How often it is checked whether anything is still to be done. */
const checkMs = 100;

/** Waits until no callback is being sent and no job is due, at so many checks in a row. */
export async function waitForQuiet(
	till: Pick<Till, "workDue" | "sandbox" | "cards">,
	checks: number,
): Promise<void> {
	for (let quiet = 0; quiet < checks; ) {
		const ran = await till.workDue();
		const sent = await Promise.all([
			till.sandbox("GET", "/_control/deliveries?limit=1"),
			till.cards("GET", "/_control/deliveries?limit=1"),
		]);
		const isSending = sent.some(({ waiting }) => Number(waiting) > 0);
		quiet = isSending || ran > 0 ? 0 : quiet + 1;
		if (quiet < checks) await sleep(checkMs);
	}
}
