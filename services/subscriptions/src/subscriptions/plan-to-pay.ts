import type { Database } from "@lango/postgres";
import { findOfferedPlan } from "../catalogue/held-plan.store.ts";
import type { HeldPlan } from "../catalogue/held-plan.ts";
import { failures } from "../failures.ts";
import type { HeldSubscription } from "./held-subscription.ts";

/** A plan as it is on offer. Throws `plan_not_found`. */
export async function getOffered(tx: Database, code: string): Promise<HeldPlan> {
	const plan = await findOfferedPlan(tx, code);
	if (plan === undefined) throw failures.plan_not_found({ fields: { field: "plan" } });
	return plan;
}

/** Who has a version keeps it, also when it is paid for; what was selected is paid as it was selected. Throws `plan_not_found`. */
export async function planToPay(
	tx: Database,
	{ plan, pending }: HeldSubscription,
	code: string,
): Promise<HeldPlan> {
	if (pending?.plan.code === code) return pending.plan;
	return plan.code === code ? plan : getOffered(tx, code);
}
