import { refundFailures } from "../refunds/failures.ts";

/** How long the word of the first operator counts. */
export const proposedMs = 24 * 3_600_000;

/** The operator who said what became of something, and when; null: nothing was said. */
type Proposal = { proposedBy: string | null; proposedAt: Date | null };

/**
 * Whether another operator has said the same within 24 hours. Throws `resolver_is_proposer` if it was this
 * one. Pure.
 */
export function isAgreed({ proposedBy, proposedAt }: Proposal, by: string, now: Date): boolean {
	if (proposedBy === null || proposedAt === null) return false;
	if (now.getTime() - proposedAt.getTime() > proposedMs) return false;
	if (proposedBy === by) throw refundFailures.resolver_is_proposer();
	return true;
}
