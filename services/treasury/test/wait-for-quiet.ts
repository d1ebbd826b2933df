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
		const isBusy = (await till.workDue()) > 0 || (await isSending(till));
		quiet = isBusy ? 0 : quiet + 1;
		if (quiet < checks) await sleep(checkMs);
	}
}

async function isSending({ sandbox, cards }: Pick<Till, "sandbox" | "cards">): Promise<boolean> {
	const sent = await Promise.all([
		sandbox("GET", "/_control/deliveries?limit=1"),
		cards("GET", "/_control/deliveries?limit=1"),
	]);
	return sent.some(({ waiting }) => Number(waiting) > 0);
}
