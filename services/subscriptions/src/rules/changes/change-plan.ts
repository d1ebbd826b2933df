import { failures } from "../../failures.ts";
import { closeOpenOperation, openOperation } from "../lifecycle/open-operation.ts";
import { addsAnything, nextChoice } from "../lifecycle/pending.ts";
import type { Change, FullSubscription, Moment } from "../lifecycle/subscription.ts";
import type { Operation } from "../money/operation.ts";
import type { Choice } from "../terms/plan.ts";
import { priceChange, requireRunning } from "./price-change.ts";

/** At once, or at the end of the paid period. */
export type ChangeMode = "now" | "period_end";
export type PlanChange = Choice & { mode: ChangeMode; quotedAt: Date };

/**
 * Changes the plan and the add-ons as quoted. `now`: requests the payment and changes the plan when it
 * arrives, or at once if nothing is due. `period_end`: schedules the change; a scheduled change of what this
 * one does not name is kept, and the schedule can be withdrawn. Throws what `priceChange` throws,
 * `nothing_to_change` if a cancelled subscription has no next period, and `upgrade_needs_payment` if the
 * scheduled change would add anything before its renewal is paid.
 */
export function changePlan(
	subscription: FullSubscription,
	{ plan, addOns, mode, quotedAt }: PlanChange,
	moment: Moment,
): Change & { operation?: Operation } {
	const { amount, carriedMinor } = priceChange(subscription, { plan, addOns }, quotedAt);
	requireRunning(subscription, moment.now);
	if (mode === "now") {
		const opening = { kind: "change" as const, plan, addOns, amount, carriedMinor, quotedAt };
		return openOperation(subscription, opening, moment);
	}
	if (subscription.cancelledAt !== null) throw failures.nothing_to_change();
	const next = nextChoice(subscription, { plan, addOns });
	if (addsAnything(subscription, next))
		throw failures.upgrade_needs_payment({ fields: { field: "mode", in: "body" } });
	const withoutOpen = closeOpenOperation(subscription, {
		now: moment.now,
		because: "a change was scheduled",
	});
	return {
		subscription: { ...withoutOpen, pending: { ...next, from: subscription.periodEndsAt } },
		announcements: [],
	};
}
