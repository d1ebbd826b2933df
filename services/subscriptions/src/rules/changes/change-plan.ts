import { failures } from "../../failures.ts";
import { closeOpenOperation, openOperation } from "../lifecycle/open-operation.ts";
import { bringsMore, nextChoice } from "../lifecycle/pending.ts";
import type { Change, FullSubscription, Moment } from "../lifecycle/subscription.ts";
import type { Operation } from "../money/operation.ts";
import type { Choice } from "../terms/plan.ts";
import { priceChange, requireRunning } from "./price-change.ts";

/** At once, or where the paid period ends. */
export type ChangeMode = "now" | "period_end";
export type PlanChange = Choice & { mode: ChangeMode; quotedAt: Date };

/**
 * Changes the plan and the add-ons as quoted. Now: what is due is asked for and the plan changes when it is paid, or at once when nothing
 * is. At the end of the period: it waits, beside what waited already and is not named, and can be withdrawn. Throws what `reckonChange` throws, `nothing_to_change` when
 * a cancelled subscription is to change at an end after which nothing comes, and `upgrade_needs_payment` when anything
 * would come at that end that the tenant does not have: it would be there before the renewal is paid.
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
	if (bringsMore(subscription, next))
		throw failures.upgrade_needs_payment({ fields: { field: "mode", in: "body" } });
	const free = closeOpenOperation(subscription, { now: moment.now, because: "a change was scheduled" });
	return {
		subscription: { ...free, pending: { ...next, from: subscription.periodEndsAt } },
		announcements: [],
	};
}
