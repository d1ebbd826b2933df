import type { RefundSaid } from "../../outcomes/evidence/refund-evidence.ts";

const statuses: Readonly<Record<string, RefundSaid>> = {
	pending: { kind: "pending" },
	processing: { kind: "processing" },
	processed: { kind: "processed" },
	failed: { kind: "failed", code: "failed" },
	"needs-attention": { kind: "needs_attention" },
};

/**
 * What the gateway's word for the status of a refund says; one that is not known counts as pending, and a
 * person has to look. Pure.
 */
export const saidByRefundStatus = (word: string): RefundSaid =>
	(Object.hasOwn(statuses, word) ? statuses[word] : undefined) ?? { kind: "pending", oddWord: word };
