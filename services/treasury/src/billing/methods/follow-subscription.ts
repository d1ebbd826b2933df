import { type Database, inTenant } from "@lango/postgres";
import { isCharging } from "../../card-subscriptions/card-subscription.ts";
import { changeOrder } from "../../standing-orders/change-order.ts";
import { findOrder, lockOrder } from "../../standing-orders/standing-order.store.ts";
import { isOpenOrder } from "../../standing-orders/standing-order.ts";
import type { Treasury } from "../../treasury.ts";
import { covers, termsOf } from "./bill-order.ts";
import { findBillingMethod } from "./billing-method.store.ts";
import { findCardSubscription, followByCard } from "./follow-by-card.ts";
import { askForBilling } from "./subscription-billing.ts";

/** Follows what the renewals of a tenant cost now, by its billing method. */
export async function followSubscription(domain: Treasury, tenantId: string): Promise<void> {
	const { kind } = await inTenant(domain.db, tenantId, findBillingMethod);
	if (kind === "standing_order") await followByOrder(domain, tenantId);
	if (kind === "card_subscription") await followByCard(domain, tenantId);
}

/**
 * Compares the standing order of a tenant's billing method with what the renewals cost now. The gateway
 * cannot change an order, so an event says that it has to be replaced, and by which amount. The notifications
 * service notifies the administrators of the tenant.
 */
async function followByOrder(domain: Treasury, tenantId: string): Promise<void> {
	const { db, now } = domain;
	const isOurs = await inTenant(db, tenantId, async (tx) => (await lockCurrent(tx)) !== undefined);
	if (!isOurs) return;
	const terms = termsOf(await askForBilling(domain, tenantId));
	await inTenant(db, tenantId, async (tx) => {
		const order = await lockCurrent(tx);
		if (order === undefined) return;
		const replacementMinor = terms === undefined || covers(order, terms) ? undefined : terms.amountMinor;
		const needsReplacement = replacementMinor !== undefined;
		if (needsReplacement !== order.needsReplacement)
			await changeOrder(tx, order, { change: { needsReplacement }, replacementMinor, now: now() });
	});
}

/**
 * Whether bills are paid without being asked for: the wallet of the tenant's payer pays them, or may still
 * consent to it, or a card is charged. Call it inside the tenant.
 */
export async function isPaidByItself(tx: Database): Promise<boolean> {
	if ((await findCurrent(tx, findOrder)) !== undefined) return true;
	const one = await findCardSubscription(tx);
	return one !== undefined && isCharging(one);
}

const lockCurrent = (tx: Database) => findCurrent(tx, lockOrder);

async function findCurrent(tx: Database, find: typeof findOrder) {
	const { standingOrderId } = await findBillingMethod(tx);
	const order = standingOrderId === null ? undefined : await find(tx, standingOrderId);
	return order !== undefined && isOpenOrder(order) ? order : undefined;
}
