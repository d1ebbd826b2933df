import type { BillingInterval } from "@lango/contracts";
import type { Price, Terms } from "./terms.ts";

/** A version of a plan, subscribed to or on offer. */
export type PlanVersion = Terms &
	Price & { id: string; code: string; version: number; trialDays: number; graceDays: number };

/** A version of an add-on, subscribed to or on offer. */
export type AddOnVersion = Terms & Price & { id: string; code: string; version: number };

/** A plan and the add-ons beside it: current, or requested. */
export type Choice = { plan: PlanVersion; addOns: readonly AddOnVersion[] };

/** Whether both lists have the same versions of the same add-ons. */
export function isSameAddOns(some: Choice["addOns"], others: Choice["addOns"]): boolean {
	return some.length === others.length && some.every(({ id }) => others.some((one) => one.id === id));
}

const months: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/** The number of months of an interval. */
export function monthsOf(interval: BillingInterval): number {
	return months[interval];
}
