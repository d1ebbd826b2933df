import type { BillingInterval } from "@lango/contracts";
import type { Price, Terms } from "./terms.ts";

/** A version of a plan, as a tenant has it or is offered it. */
export type PlanVersion = Terms &
	Price & { id: string; code: string; version: number; trialDays: number; graceDays: number };

/** A version of an add-on, as a tenant has it. */
export type AddOnVersion = Terms & Price & { id: string; code: string; version: number };

/** What a tenant has, or wants to have: a plan and the add-ons beside it. */
export type Choice = { plan: PlanVersion; addOns: readonly AddOnVersion[] };

/** Whether these are the same versions of the same add-ons. */
export function isSameAddOns(some: Choice["addOns"], others: Choice["addOns"]): boolean {
	return some.length === others.length && some.every(({ id }) => others.some((one) => one.id === id));
}

const months: Readonly<Record<BillingInterval, number>> = { month: 1, year: 12 };

/** How many months an interval has. */
export function monthsOf(interval: BillingInterval): number {
	return months[interval];
}
