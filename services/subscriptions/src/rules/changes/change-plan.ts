import { failures } from "../../failures.ts";
import { closeOpen, openOperation } from "../lifecycle/open-operation.ts";
import { bringsMore, nextChoice } from "../lifecycle/pending.ts";
import type { Change, HeldSubscription, Moment } from "../lifecycle/subscription.ts";
import type { Operation } from "../money/operation.ts";
import type { Choice } from "../terms/plan.ts";
import { reckonChange, requireRunning } from "./reckon-change.ts";

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
	held: HeldSubscription,
	{ plan, addOns, mode, quotedAt }: PlanChange,
	moment: Moment,
): Change & { operation?: Operation } {
	const { amount, carriedMinor } = reckonChange(held, { plan, addOns }, quotedAt);
	requireRunning(held, moment.now);
	if (mode === "now") {
		const opening = { kind: "change" as const, plan, addOns, amount, carriedMinor, quotedAt };
		return openOperation(held, opening, moment);
	}
	if (held.cancelledAt !== null) throw failures.nothing_to_change();
	const next = nextChoice(held, { plan, addOns });
	if (bringsMore(held, next)) throw failures.upgrade_needs_payment({ fields: { field: "mode", in: "body" } });
	const free = closeOpen(held, { now: moment.now, because: "a change was scheduled" });
	return { held: { ...free, pending: { ...next, from: held.periodEndsAt } }, tells: [] };
}
