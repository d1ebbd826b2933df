import { isLoss, lossOf } from "../terms/loss.ts";
import { type Choice, isSameAddOns } from "../terms/plan.ts";
import type { FullSubscription } from "./subscription.ts";

/**
 * What there is from the end of the period on, by a change to a choice: what the change names, and of what it leaves as it is what was
 * to come already.
 */
export function nextChoice({ plan, addOns, pending }: FullSubscription, to: Choice): Choice {
	const next = pending === null || pending.from === null ? { plan, addOns } : pending;
	return {
		plan: to.plan.id === plan.id ? next.plan : to.plan,
		addOns: isSameAddOns(to.addOns, addOns) ? (next.addOns ?? addOns) : to.addOns,
	};
}

/** What still waits for the end of the period after a change now: nothing that would bring more than there is then. */
export function pendingAfter(
	before: FullSubscription,
	changed: FullSubscription,
): FullSubscription["pending"] {
	if (before.pending === null || before.pending.from === null) return null;
	const next = nextChoice(before, changed);
	const isThere = next.plan.id === changed.plan.id && isSameAddOns(next.addOns, changed.addOns);
	if (isThere || bringsMore(changed, next)) return null;
	return { ...next, from: changed.periodEndsAt };
}

/** Whether there is a feature, a product or more of a limit then: what would be lost on the way back. */
export function bringsMore(subscription: FullSubscription, wanted: Choice): boolean {
	return isLoss(lossOf(subscription, { from: wanted, to: subscription }));
}
