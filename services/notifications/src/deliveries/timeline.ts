import type { Pause } from "../reputation/reputation.store.ts";
import type { DeliveryView, TimelineEntry } from "./delivery.store.ts";

/** The time in which a delivery could be sent; until now if it is not sent yet. */
export const waitingTime = ({ sendAt, sentAt, finalAt }: DeliveryView, now: Date) => ({
	from: sendAt,
	until: sentAt ?? finalAt ?? now,
});

/** Adds the pauses in which a delivery waited to its timeline, as decisions. Pauses are not recorded by delivery. */
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
