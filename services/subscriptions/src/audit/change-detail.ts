import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";

/**
 * A payment request for the audit log, with the plan and add-ons it is for, which can differ from the current
 * ones.
 */
export function paymentDetail(subscription: FullSubscription, operation: Operation) {
	const { id, plan, addOns, amountMinor, currency } = operation;
	return {
		operation_id: id,
		plan: plan.code,
		add_ons: codesOf(addOns ?? subscription.addOns),
		amount_minor: Number(amountMinor),
		currency,
	};
}

/** A quoted change for the audit log: what is paid for, or what is scheduled. */
export function changeDetail(subscription: FullSubscription, operation: Operation | undefined) {
	if (operation !== undefined) return paymentDetail(subscription, operation);
	const { plan, addOns, from } = subscription.pending ?? {
		plan: subscription.plan,
		addOns: subscription.addOns,
		from: null,
	};
	return {
		operation_id: null,
		plan: plan.code,
		add_ons: codesOf(addOns ?? subscription.addOns),
		from: from?.toISOString() ?? null,
	};
}

const codesOf = (addOns: ReadonlyArray<{ code: string }>) => addOns.map(({ code }) => code);
