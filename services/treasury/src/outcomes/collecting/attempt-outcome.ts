import { type AttemptOutcome, type AttemptStatus, rankOf } from "../../payments/attempt.ts";
import type { Said } from "../evidence/evidence.ts";

const statusOf: Readonly<Record<Said["kind"], AttemptStatus>> = {
	accepted: "awaiting",
	rejected: "rejected",
	unknown: "unknown",
	cancelled: "cancelled",
	failed: "failed",
	expired: "expired",
	paid: "succeeded",
};

/**
 * What evidence makes of an attempt; undefined: nothing. A success replaces every other status and is
 * final. Other evidence only raises the rank, so its order and repetition do not matter.
 */
export function outcomeOf(status: AttemptStatus, said: Said): AttemptOutcome | undefined {
	const next = statusOf[said.kind];
	if (rankOf[next] <= rankOf[status]) return undefined;
	return { status: next, failureCode: "code" in said ? said.code : null };
}
