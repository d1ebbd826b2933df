import type { Gateway } from "../gateway.ts";
import type { Plan, Transaction } from "../records/tables.ts";

/** The plan by which a transaction was charged. */
export function planOf({ store }: Gateway, { subscriptionCode }: Transaction): Plan | undefined {
	if (subscriptionCode === null) return undefined;
	return store.get("plans", "id", store.get("subscriptions", "code", subscriptionCode).planId);
}

/** A plan within transactions and subscriptions. */
export const toPlanObject = (plan: Plan) => ({
	id: plan.id,
	name: plan.name,
	plan_code: plan.code,
	description: plan.description,
	amount: plan.amount,
	interval: plan.interval,
	send_invoices: true,
	send_sms: true,
	currency: plan.currency,
});
