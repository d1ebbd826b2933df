import type { HeldSubscription } from "../rules/lifecycle/subscription.ts";
import type { Operation } from "../rules/money/operation.ts";

/** What a payment is asked for, for the record: the plan and the add-ons that are paid, which need not be those there are. */
export function paymentDetail(held: HeldSubscription, operation: Operation) {
	const { id, plan, addOns, amountMinor, currency } = operation;
	return {
		operation_id: id,
		plan: plan.code,
		add_ons: codesOf(addOns ?? held.addOns),
		amount_minor: Number(amountMinor),
		currency,
	};
}

/** What was changed by a quote, for the record: what is paid for, or what comes where the period ends. */
export function changeDetail(held: HeldSubscription, operation: Operation | undefined) {
	if (operation !== undefined) return paymentDetail(held, operation);
	const { plan, addOns, from } = held.pending ?? { plan: held.plan, addOns: held.addOns, from: null };
	return {
		operation_id: null,
		plan: plan.code,
		add_ons: codesOf(addOns ?? held.addOns),
		from: from?.toISOString() ?? null,
	};
}

const codesOf = (addOns: ReadonlyArray<{ code: string }>) => addOns.map(({ code }) => code);
