import { Failure } from "@lango/chassis";
import type { Treasury } from "../treasury.ts";

/** Refusals that pass by themselves: they are part of normal operation. */
const passing: ReadonlySet<string> = new Set(["halted", "intent_closed", "prompt_live", "prompt_too_soon"]);

/**
 * Accepts that a prompt without a person was refused: the caller asks again, or gives up. What does
 * not pass by itself is logged. Throws every other error.
 */
export function acceptRefusal(
	{ log }: Pick<Treasury, "log">,
	error: unknown,
	about: { tenantId: string; intentId: string; requestedBy: string },
): void {
	if (!(error instanceof Failure)) throw error;
	if (passing.has(error.code)) return;
	log.warn({ ...about, refusal: error.code, err: error.cause }, "a prompt was not sent");
}
