import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import { getOfferedPlan } from "../record/plan.store.ts";
import { requestedAddOns } from "../rules/changes/checkout.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import type { Choice, PlanVersion } from "../rules/terms/plan.ts";

/** The plan to pay for, and the current add-ons to keep; undefined: those of the open request, or all. */
export type RequestedCheckout = { plan: string; addOns: readonly string[] | undefined };

/**
 * Resolves a requested checkout. A tenant keeps its version of a plan when it pays, and a selected version is
 * the one it pays for. Throws `plan_not_found`, and `add_on_not_found` for an add-on the tenant does not
 * have.
 */
export async function choiceToPay(
	tx: Database,
	subscription: FullSubscription,
	{ plan: code, addOns: codes }: RequestedCheckout,
): Promise<Choice> {
	const plan = await planToPay(tx, subscription, code);
	if (codes === undefined) return { plan, addOns: requestedAddOns(subscription, plan) };
	const missing = codes.find((one) => subscription.addOns.every((addOn) => addOn.code !== one));
	if (missing !== undefined)
		throw failures.add_on_not_found({ fields: { field: "add_ons", add_on: missing } });
	return { plan, addOns: subscription.addOns.filter((one) => codes.includes(one.code)) };
}

async function planToPay(
	tx: Database,
	{ plan, pending }: FullSubscription,
	code: string,
): Promise<PlanVersion> {
	if (pending?.plan.code === code) return pending.plan;
	return plan.code === code ? plan : getOfferedPlan(tx, code);
}
