import { type Database, inTenant } from "@lango/postgres";
import { findSubscriptionOf } from "../card-subscriptions/card-subscription.store.ts";
import type { ChargeOrigin } from "../outcomes/evidence/card-evidence.ts";
import { hashPageToken } from "../payment-pages/payment-page.ts";
import { findLocator, isDeleted } from "../payments/locator.store.ts";

/** What a charge without a reference of ours belongs to. */
export type ChargePlace = { tenantId: string } & ({ subscriptionId: string } | { pageId: string });

/**
 * Finds what a charge without a reference of ours belongs to: the payment page of its token, or the card
 * subscription that its payer has of its plan. To a deleted tenant none belongs: it lies in suspense. It
 * reads a tenant, so call it outside of a transaction.
 */
export async function placeCharge(
	db: Database,
	{ planCode = "", customerCode, pageToken }: ChargeOrigin,
): Promise<ChargePlace | undefined> {
	const page =
		pageToken === undefined ? undefined : await findLocator(db, "page_token", hashPageToken(pageToken));
	if (page !== undefined) return { tenantId: page.tenantId, pageId: page.objectId };
	const plan = await findLocator(db, "card_plan", planCode);
	if (plan === undefined || customerCode === undefined) return undefined;
	const { tenantId, objectId: planId } = plan;
	const subscriptionId = await inTenant(db, tenantId, async (tx) =>
		(await isDeleted(tx, tenantId)) ? undefined : findSubscriptionOf(tx, { planId, customerCode }),
	);
	return subscriptionId === undefined ? undefined : { tenantId, subscriptionId };
}
