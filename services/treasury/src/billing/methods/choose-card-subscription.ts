import type { SubscriptionBilling } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { createCardPlan } from "../../card-plans/create-card-plan.ts";
import {
	findSubscription,
	listBillSubscriptions,
	type StoredSubscription,
} from "../../card-subscriptions/card-subscription.store.ts";
import { isCharging } from "../../card-subscriptions/card-subscription.ts";
import { createCardSubscription, requireCard } from "../../card-subscriptions/create-card-subscription.ts";
import { gatewayFailures } from "../../gateways/calls/failures.ts";
import { requireNotHalted } from "../../halts/require-not-halted.ts";
import type { Treasury } from "../../treasury.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";
import { cardTermsOf, chargesTerms, firstChargeAt, planRequestOf, type Terms } from "./bill-plan.ts";
import { findBillingMethod } from "./billing-method.store.ts";
import { billingFailures } from "./failures.ts";
import { askForBilling } from "./subscription-billing.ts";

type Choosing = {
	tenantId: string;
	authorizationId: string;
	createdBy: { kind: string; id: string };
};

/**
 * Lets a card pay the tenant's renewals, and returns the id of its subscription. That of the billing method
 * stays if it is of this card and covers them. Throws `nothing_to_collect`, `subscription_unavailable`,
 * and what `chargeCard` throws.
 */
export async function chooseCardSubscription(domain: Treasury, choosing: Choosing): Promise<string> {
	const { tenantId, authorizationId } = choosing;
	const billing = await askForBilling(domain, tenantId);
	const terms = cardTermsOf(billing);
	if (terms === undefined) throw billingFailures.nothing_to_collect();
	const current = await inTenant(domain.db, tenantId, async (tx) => {
		await requireCard(tx, { id: authorizationId, payee: "platform", now: domain.now() });
		const { cardSubscriptionId } = await findBillingMethod(tx);
		return cardSubscriptionId === null ? undefined : findSubscription(tx, cardSubscriptionId);
	});
	const isKept =
		current !== undefined &&
		isCharging(current) &&
		current.authorizationId === authorizationId &&
		chargesTerms(current.plan, terms);
	return isKept ? current.id : chargeCard(domain, { ...choosing, billing });
}

/**
 * Makes the gateway's plan and subscription of a tenant's renewals, and returns the id of the subscription.
 * The caller makes it the billing method; one that no billing method names is stopped. Throws
 * `nothing_to_collect`, `authorization_missing`, `card_expired`, `halted`, `channel_unavailable`,
 * `gateway_refused` and `gateway_unavailable`.
 */
export async function chargeCard(
	domain: Treasury,
	{ billing, authorizationId, ...by }: Choosing & { billing: SubscriptionBilling },
): Promise<string> {
	const terms = cardTermsOf(billing);
	if (terms === undefined) throw billingFailures.nothing_to_collect();
	await requireNotHalted(domain.db, by.tenantId, "collections");
	const about = { ...by, payee: "platform", idempotencyKey: undefined } as const;
	const { plan } = await createCardPlan(domain, { ...about, request: planRequestOf(billing, terms) });
	if (plan.planCode === null) throw gatewayFailures.gateway_unavailable();
	const { subscription } = await createCardSubscription(domain, {
		...{ ...about, request: { plan_id: plan.id, authorization_id: authorizationId } },
		startAt: firstChargeAt(billing, domain.now()),
		reuse: (tx) => reuseSubscription(tx, { tenantId: by.tenantId, authorizationId, terms }),
	});
	return subscription.id;
}

type Wanted = { tenantId: string; authorizationId: string; terms: Terms };

/** One of another request of the same time, or of one that did not end, is used: a card is charged once. */
async function reuseSubscription(
	tx: Database,
	{ tenantId, authorizationId, terms }: Wanted,
): Promise<StoredSubscription | undefined> {
	await lockBillsOf(tx, tenantId);
	const charging = await listBillSubscriptions(tx);
	return charging.find((one) => one.authorizationId === authorizationId && chargesTerms(one.plan, terms));
}
