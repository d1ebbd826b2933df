import { permit, type Route, route } from "@lango/chassis";
import { FailureBody, SubscriptionBilling, Uuid } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type from "typebox";
import { getSubscription } from "../record/get-subscription.ts";
import { type Clock, timeFor } from "../record/tenant-time.ts";
import { billingRight } from "../rights.ts";
import { nextChoice } from "../rules/lifecycle/pending.ts";
import { type FullSubscription, openOperationOf } from "../rules/lifecycle/subscription.ts";
import { chargesOfPeriod } from "../rules/money/amount.ts";

type BillingParts = { db: Database; clock: Clock };

const Params = Type.Object({ tenant_id: Uuid });
const tags = ["subscription"];
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;

/** Reads the price, the paid period and the open payment of a subscription. */
export const billingRoutes = ({ db, clock }: BillingParts): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/tenants/:tenant_id/subscription/billing",
		access: permit(billingRight),
		schema: {
			summary: "Get the price, the paid period and the open payment of a subscription",
			tags,
			params: Params,
			response: { 200: SubscriptionBilling, ...refusals },
		},
		handler: async ({ params: { tenant_id: tenantId } }) => {
			return inTenant(db, tenantId, async (tx) =>
				billingOf(await getSubscription(tx, tenantId), await timeFor(tx, tenantId, clock)),
			);
		},
	}),
];

/**
 * A pending plan without a time is not billed yet. One whose time has passed is in effect, whether or not a
 * job has run.
 */
function billingOf(subscription: FullSubscription, now: Date): SubscriptionBilling {
	const { pending, balanceMinor, balanceCurrency } = subscription;
	const next = nextChoice(subscription, subscription);
	const hasCome = pending !== null && pending.from !== null && now >= pending.from;
	const { plan } = hasCome ? next : subscription;
	const charges = chargesOfPeriod(next);
	return {
		version: subscription.version,
		plan: plan.code,
		plan_version: plan.version,
		price_minor: Number(plan.priceMinor),
		currency: plan.currency,
		interval: plan.interval,
		period_started_at: subscription.periodStartedAt?.toISOString() ?? null,
		period_ends_at: subscription.periodEndsAt?.toISOString() ?? null,
		cancelled_at: subscription.cancelledAt?.toISOString() ?? null,
		next_period: {
			plan: next.plan.code,
			interval: next.plan.interval,
			amount_minor: Number(charges.reduce((sum, { amountMinor }) => sum + amountMinor, 0n)),
		},
		balance_minor: Number(balanceCurrency === plan.currency ? balanceMinor : 0n),
		open_payment_id: openOperationOf(subscription)?.id ?? null,
	};
}
