import type { SubscriptionBilling } from "@lango/contracts";
import type { CardPlan } from "../../card-plans/card-plan.ts";
import type { PlanRequest } from "../../card-plans/create-card-plan.ts";
import { frequencies } from "./bill-order.ts";

/** What the renewals cost, and how often they are due. */
export type Terms = Pick<CardPlan, "amountMinor" | "currency" | "frequency">;

/**
 * What a card has to be charged so that it covers the renewals of a subscription; undefined if it is not
 * renewed, or costs nothing. Pure.
 */
export function cardTermsOf({
	next_period: next,
	currency,
	cancelled_at,
}: SubscriptionBilling): Terms | undefined {
	if (cancelled_at !== null || next.amount_minor <= 0) return undefined;
	return { amountMinor: BigInt(next.amount_minor), currency, frequency: frequencies[next.interval] };
}

/** Whether a plan charges what the renewals cost now. Pure. */
export const chargesTerms = (plan: Terms, terms: Terms): boolean =>
	plan.amountMinor === terms.amountMinor &&
	plan.currency === terms.currency &&
	plan.frequency === terms.frequency;

/** The plan of a tenant's renewals. Pure. */
export const planRequestOf = ({ next_period }: SubscriptionBilling, terms: Terms): PlanRequest => ({
	...{ name: `Lango ${next_period.plan}`, interval: terms.frequency, currency: terms.currency },
	amount_minor: Number(terms.amountMinor),
});

/** When the paid period ends; undefined: the card is charged at once. Pure. */
export function firstChargeAt({ period_ends_at: ends }: SubscriptionBilling, now: Date): Date | undefined {
	const at = ends === null ? now : new Date(ends);
	return at > now ? at : undefined;
}
