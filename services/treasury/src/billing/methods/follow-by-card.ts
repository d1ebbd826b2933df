import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { isExpired } from "../../card-authorizations/card-authorization.ts";
import {
	findSubscription,
	type StoredSubscription,
} from "../../card-subscriptions/card-subscription.store.ts";
import { isCharging } from "../../card-subscriptions/card-subscription.ts";
import { stopSubscription } from "../../card-subscriptions/switch-subscription.ts";
import { closeExplained } from "../../exceptions/exception.store.ts";
import { raiseException } from "../../exceptions/raise-exception.ts";
import type { Treasury } from "../../treasury.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";
import { cardTermsOf, chargesTerms } from "./bill-plan.ts";
import { findBillingMethod, updateBillingMethod } from "./billing-method.store.ts";
import { chargeCard } from "./choose-card-subscription.ts";
import { askForBilling } from "./subscription-billing.ts";

/** The job that stops a card subscription that no billing method names, by its name. */
const stopJob = { name: "card-subscriptions.stop" } as const;

/** Stops a card subscription that the billing method named before. Call it inside the tenant. */
export const stopLater = (tx: Database, { tenantId, id }: { tenantId: string; id: string }): Promise<void> =>
	enqueueJob(tx, stopJob, { id, tenantId });

/**
 * Compares the card subscription of a tenant's billing method with what the renewals cost now. One of
 * another amount or interval is replaced by one of the same card, and stopped; it is also stopped if the
 * subscription is not renewed, or the card has expired. One that its payer stopped at the gateway is not
 * made again.
 */
export async function followByCard(domain: Treasury, tenantId: string): Promise<void> {
	const current = await inTenant(domain.db, tenantId, findCardSubscription);
	// The gateway refused it, or it was stopped there: somebody has to choose a card.
	if (current === undefined || !(isCharging(current) || current.isStoppedHere)) return;
	const billing = await askForBilling(domain, tenantId);
	const terms = cardTermsOf(billing);
	if (terms !== undefined && isCharging(current) && chargesTerms(current.plan, terms)) return;
	const { authorizationId, card } = current;
	if (terms === undefined || card === null || isExpired(card, domain.now()))
		return stopIfCharging(domain, current);
	const createdBy = { kind: "service", id: "billing_method" };
	const id = await chargeCard(domain, { tenantId, billing, authorizationId, createdBy });
	await inTenant(domain.db, tenantId, (tx) => replace(tx, current, { id, now: domain.now() }));
}

async function stopIfCharging(domain: Treasury, one: StoredSubscription): Promise<void> {
	if (isCharging(one)) await stopSubscription(domain, one);
}

async function replace(
	tx: Database,
	former: StoredSubscription,
	{ id, now }: { id: string; now: Date },
): Promise<void> {
	const { tenantId } = former;
	await lockBillsOf(tx, tenantId);
	const method = await findBillingMethod(tx);
	// Somebody chose another method meanwhile: the new one is stopped.
	if (method.cardSubscriptionId !== former.id) return stopLater(tx, { tenantId, id });
	await updateBillingMethod(tx, tenantId, { ...method, cardSubscriptionId: id, now });
	await stopLater(tx, former);
}

/** Returns the card subscription of the billing method. Call it inside the tenant. */
export async function findCardSubscription(tx: Database): Promise<StoredSubscription | undefined> {
	const { cardSubscriptionId } = await findBillingMethod(tx);
	return cardSubscriptionId === null ? undefined : findSubscription(tx, cardSubscriptionId);
}

/**
 * Stops a card subscription that should not charge any more: one of the tenant's bills that its billing
 * method does not name, or one whose card was deleted, with its person or its tenant. One without its token
 * raises an exception.
 */
export async function stopUnused(domain: Treasury, tenantId: string, id: string): Promise<void> {
	const one = await inTenant(domain.db, tenantId, (tx) => findUnused(tx, id));
	if (one === undefined || !isCharging(one)) return;
	// The recovery scan finds it again once an event has brought its token.
	if (one.emailToken === null) return raiseUnstoppable(domain, one);
	await stopSubscription(domain, one);
	await closeExplained(domain.db, { ...unstoppable(one), now: domain.now() });
}

const unstoppable = ({ id, subscriptionCode }: StoredSubscription) => ({
	...{ class: "status" as const, subject: `card subscription ${subscriptionCode ?? id}` },
});

/**
 * Without its token only the platform owner can stop it, at the gateway: its event ends it here. An event
 * about its next invoice brings the token, often before the card is charged.
 */
async function raiseUnstoppable({ db, now }: Treasury, one: StoredSubscription): Promise<void> {
	const { tenantId: tenant_id, id: card_subscription_id, plan, nextPaymentAt } = one;
	const { amountMinor, currency } = plan;
	await db.transaction((tx) =>
		raiseException(tx, {
			...{ ...unstoppable(one), amountMinor, currency, now: now(), theirs: {} },
			ours: {
				...{ tenant_id, card_subscription_id, code: one.subscriptionCode },
				next_payment_at: nextPaymentAt?.toISOString() ?? null,
			},
		}),
	);
}

async function findUnused(tx: Database, id: string): Promise<StoredSubscription | undefined> {
	const one = await findSubscription(tx, id);
	if (one === undefined || one.card === null) return one;
	const isUsed = one.payee === "tenant" || (await findCardSubscription(tx))?.id === id;
	return isUsed ? undefined : one;
}
