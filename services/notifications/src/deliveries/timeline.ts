import type { DeliveryStatus } from "../delivery.ts";
import type { Pause } from "../reputation/reputation.store.ts";
import type { DeliveryView, TimelineEntry } from "./delivery.store.ts";

/** The time in which a delivery could be sent; until now if it is not sent yet. */
export const waitingTime = ({ sendAt, sentAt, finalAt }: DeliveryView, now: Date) => ({
	from: sendAt,
	until: sentAt ?? finalAt ?? now,
});

/**
 * Adds the pauses in which a delivery waited to its timeline, as decisions. Pauses are not recorded by
 * delivery.
 */
export function withPauses(
	timeline: readonly TimelineEntry[],
	pauses: readonly Pause[],
	{ from, until }: { from: Date; until: Date },
): TimelineEntry[] {
	const entries = pauses.flatMap(({ cause, beganAt, endedAt }): TimelineEntry[] => [
		{ at: beganAt > from ? beganAt : from, kind: "decision", detail: { decision: "paused", cause } },
		...(endedAt !== undefined && endedAt <= until
			? [{ at: endedAt, kind: "decision", detail: { decision: "resumed" } }]
			: []),
	]);
	return [...timeline, ...entries].toSorted((left, right) => left.at.getTime() - right.at.getTime());
}

/** The states in which a delivery can end when its message is accepted. */
const endsAtAcceptance: ReadonlySet<DeliveryStatus> = new Set([
	...(["suppressed", "skipped_preference", "skipped_no_credit", "skipped_no_subscription"] as const),
	...(["skipped_limit", "digested"] as const),
]);

/**
 * Adds to a timeline why the delivery ended when its message was accepted, as a decision. The state says it,
 * so that acceptance records no entry.
 */
export function withSkip(
	timeline: readonly TimelineEntry[],
	{ status, finalAt }: Pick<DeliveryView, "status" | "finalAt">,
): readonly TimelineEntry[] {
	if (finalAt === null || !endsAtAcceptance.has(status)) return timeline;
	if (timeline.some(({ detail }) => detail["decision"] === status)) return timeline;
	return [...timeline, { at: finalAt, kind: "decision", detail: { decision: status } }];
}
