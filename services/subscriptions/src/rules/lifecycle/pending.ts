import { isLoss, lossOf } from "../terms/loss.ts";
import { type Choice, isSameAddOns } from "../terms/plan.ts";
import type { FullSubscription } from "./subscription.ts";

/**
 * The plan and add-ons after the end of the period if the tenant changes to a choice: what the choice
 * changes, and otherwise what was already scheduled.
 */
export function nextChoice({ plan, addOns, pending }: FullSubscription, to: Choice): Choice {
	const next = pending === null || pending.from === null ? { plan, addOns } : pending;
	return {
		plan: to.plan.id === plan.id ? next.plan : to.plan,
		addOns: isSameAddOns(to.addOns, addOns) ? (next.addOns ?? addOns) : to.addOns,
	};
}

/**
 * What remains scheduled after an immediate change: nothing that would then add a feature, a product or a
 * higher limit.
 */
export function pendingAfter(
	before: FullSubscription,
	changed: FullSubscription,
): FullSubscription["pending"] {
	if (before.pending === null || before.pending.from === null) return null;
	const next = nextChoice(before, changed);
	const isThere = next.plan.id === changed.plan.id && isSameAddOns(next.addOns, changed.addOns);
	if (isThere || addsAnything(changed, next)) return null;
	return { ...next, from: changed.periodEndsAt };
}

/** Whether a choice adds a feature, a product or a higher limit: exactly what a change back would lose. */
export function addsAnything(subscription: FullSubscription, wanted: Choice): boolean {
	return isLoss(lossOf(subscription, { from: wanted, to: subscription }));
}
