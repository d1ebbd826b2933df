import type { RefundChange } from "../../refunds/refund.store.ts";
import { type Refund, type RefundStatus, refundRanks } from "../../refunds/refund.ts";
import type { RefundSaid } from "../evidence/refund-evidence.ts";

/** What each statement makes of a refund (design section 6). */
const statuses = {
	submitting: "submitting",
	accepted: "pending",
	rejected: "failed",
	unknown: "unknown",
	pending: "pending",
	processing: "processing",
	needs_attention: "needs_attention",
	failed: "failed",
	processed: "processed",
} as const satisfies Readonly<Record<Exclude<RefundSaid["kind"], "unanswered" | "not_sent">, RefundStatus>>;

/**
 * What a refund becomes by a statement; undefined: nothing. Late evidence undoes nothing, as the rank does
 * not fall: but one that was not sent is sent later, also if this answer is late, and that money was
 * returned wins over an earlier failure. Pure.
 */
export function refundOutcomeOf(
	{ status, failureCode, needsReview }: Pick<Refund, "status" | "failureCode" | "needsReview">,
	said: RefundSaid,
): RefundChange | undefined {
	if (said.kind === "unanswered")
		return isOver(status) || needsReview ? undefined : { status, failureCode, needsReview: true };
	if (said.kind === "not_sent")
		return unanswered.has(status) ? { status: "requested", failureCode: said.code, needsReview } : undefined;
	const next = statuses[said.kind];
	if (refundRanks[next] <= refundRanks[status]) return undefined;
	return {
		status: next,
		failureCode: codeIn(said) ?? (status === "failed" ? null : failureCode),
		needsReview: next === "needs_attention" || (needsReview && !isOver(next)),
	};
}

/** It was sent once, and the answer has not come. */
const unanswered: ReadonlySet<RefundStatus> = new Set(["submitting", "unknown"]);

const codeIn = (said: RefundSaid): string | undefined => ("code" in said ? said.code : undefined);

const isOver = (status: RefundStatus): boolean => refundRanks[status] >= refundRanks.failed;
