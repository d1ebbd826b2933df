import type { SubscriptionBilling } from "@lango/contracts";
import type { Frequency } from "../../gateways/profiles/profile.ts";
import { mobileMoneyCurrency } from "../../money/amount.ts";
import { toPushUnits } from "../../prompts/push-amount.ts";
import type { OrderRequest } from "../../standing-orders/create-standing-order.ts";
import type { StandingOrder } from "../../standing-orders/standing-order.ts";

/** How often a subscription is renewed, as gateways charge it. */
export const frequencies = { month: "monthly", year: "yearly" } as const satisfies Readonly<
	Record<SubscriptionBilling["interval"], Frequency>
>;

/** The price of the renewals, and how often it is due. */
export type Terms = Pick<StandingOrder, "amountMinor" | "frequency">;

/**
 * What a standing order has to pay so that it covers the renewals of a subscription; undefined if none can:
 * it is not renewed, costs nothing, or is in a currency other than shillings. A part of a shilling is
 * rounded up. Pure.
 */
export function termsOf(billing: SubscriptionBilling): Terms | undefined {
	const { next_period: next, currency, cancelled_at } = billing;
	if (cancelled_at !== null || next.amount_minor <= 0 || currency !== mobileMoneyCurrency) return undefined;
	return { amountMinor: toPushUnits(BigInt(next.amount_minor)), frequency: frequencies[next.interval] };
}

/** Whether a standing order pays what the renewals cost now. Pure. */
export const covers = (order: Terms, terms: Terms): boolean =>
	order.amountMinor === terms.amountMinor && order.frequency === terms.frequency;

const years = 5;

/**
 * The standing order of a tenant's renewals: from the day on which the paid period ends, or today if it has
 * ended. Pure.
 */
export function requestOf(
	billing: SubscriptionBilling,
	{ phone, terms, today }: { phone: string; terms: Terms; today: string },
): OrderRequest {
	const ends = billing.period_ends_at?.slice(0, 10) ?? today;
	const startOn = ends > today ? ends : today;
	return {
		...{ phone, amount_minor: Number(terms.amountMinor), frequency: terms.frequency },
		...{ start_on: startOn, end_on: `${Number(startOn.slice(0, 4)) + years}-${startOn.slice(5, 7)}-01` },
		description: "Lango plan",
	};
}
