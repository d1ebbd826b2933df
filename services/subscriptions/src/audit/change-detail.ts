import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";

/** What a payment is asked for, for the record: the plan and the add-ons that are paid, which need not be those there are. */
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

/** What was changed by a quote, for the record: what is paid for, or what comes where the period ends. */
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
