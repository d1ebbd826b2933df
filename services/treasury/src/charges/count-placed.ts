import type { Database } from "@lango/postgres";
import type { KeyEncryptionKeys } from "@lango/tokens";
import { keepCard } from "../card-authorizations/keep-card.ts";
import { lockSubscription, type StoredSubscription } from "../card-subscriptions/card-subscription.store.ts";
import { changeSubscription } from "../card-subscriptions/change-subscription.ts";
import { applyOutcome } from "../outcomes/apply-outcome.ts";
import type { ChargeOrigin } from "../outcomes/evidence/card-evidence.ts";
import type { ChargeEvidence } from "../outcomes/evidence/evidence.ts";
import { lockPage } from "../payment-pages/payment-page.store.ts";
import { fingerprintOf, openIntent } from "../payments/open-intent.ts";
import { findCounted } from "../receipts/receipt.store.ts";
import type { ChargePlace } from "./place-charge.ts";

type Placed = Pick<ChargeEvidence, "charge" | "source" | "sourceId"> & {
	place: ChargePlace;
	origin: ChargeOrigin;
	keys: KeyEncryptionKeys;
	now: Date;
};

/**
 * Counts a charge of a card subscription or a payment page, once. That of a tenant's own trade pays a
 * payment request of its own; that of bills becomes unused money of the tenant, which pays them. Call it
 * inside the tenant of the place.
 */
export const countPlaced = (tx: Database, placed: Placed): Promise<void> =>
	"pageId" in placed.place
		? countAtPage(tx, placed, placed.place.pageId)
		: countBySubscription(tx, placed, placed.place.subscriptionId);

const isKnown = async (tx: Database, { charge }: Placed): Promise<boolean> =>
	(await findCounted(tx, "card_gateway", charge.receipt)) !== undefined;

async function countAtPage(tx: Database, placed: Placed, pageId: string): Promise<void> {
	const page = await lockPage(tx, pageId);
	if (page === undefined) throw new Error(`the payment page ${pageId} was removed`);
	if (await isKnown(tx, placed)) return;
	const { tenantId, name: description } = page;
	const metadata = { ...page.metadata, payment_page_id: pageId };
	const made = { tenantId, by: "payment_page", orderId: pageId, description, metadata };
	await count(tx, placed, { tenantId, intentId: await openRequest(tx, made, placed) });
	const { card } = placed.origin;
	if (card !== undefined)
		await keepCard(tx, { tenantId, payee: "tenant", userId: null, card, keys: placed.keys, now: placed.now });
}

async function countBySubscription(tx: Database, placed: Placed, id: string): Promise<void> {
	const one = await lockSubscription(tx, id);
	if (one === undefined) throw new Error(`the card subscription ${id} was removed`);
	if (await isKnown(tx, placed)) return;
	const { tenantId, payee, plan } = one;
	const metadata = { card_subscription_id: id };
	const made = { tenantId, by: "card_subscription", orderId: id, description: plan.name, metadata };
	const isForBills = payee === "platform";
	const intentId = isForBills ? undefined : await openRequest(tx, made, placed);
	await count(tx, placed, { tenantId, intentId, isForBills });
	const { charge, now } = placed;
	const change = { executions: one.executions + 1, lastExecutedAt: charge.paidAt ?? now };
	await changeSubscription(tx, one, { said: { kind: "charged" }, change, now });
	await keepItsCard(tx, one, placed);
}

const count = (
	tx: Database,
	{ charge, source, sourceId, now: at }: Placed,
	pays: Pick<ChargeEvidence, "tenantId" | "intentId" | "isForBills">,
): Promise<void> => applyOutcome(tx, { ...pays, charge, source, sourceId, at });

const dayMs = 86_400_000;

type Made = {
	tenantId: string;
	/** What makes the request. */
	by: string;
	orderId: string;
	description: string;
	metadata: Readonly<Record<string, string>>;
};

async function openRequest(
	tx: Database,
	{ by, ...made }: Made,
	{ charge, origin, keys, now }: Placed,
): Promise<string> {
	const { receipt, amountMinor, currency, channel = "card" } = charge;
	const asked = { payee: "tenant" as const, sourceService: "treasury", operationId: undefined };
	const intent = await openIntent(
		tx,
		{
			...{ ...made, ...asked, operationKind: null, amountMinor, currency, askedAttempt: 1, askedAt: now },
			...{ channels: [channel], customerUserId: null, returnUrl: null },
			customer: origin.email === undefined ? {} : { email: origin.email },
			...{ expiresAt: new Date(now.getTime() + dayMs), fingerprint: fingerprintOf({ receipt }) },
			...{ createdBy: { kind: "service", id: by }, idempotencyKey: receipt },
		},
		{ keys, now },
	);
	if (intent === undefined) throw new Error(`the charge ${receipt} has a payment request already`);
	return intent.id;
}

/** Its authorization may be a newer one. */
async function keepItsCard(
	tx: Database,
	{ tenantId, payee, card: known }: StoredSubscription,
	{ origin: { card }, keys, now }: Placed,
): Promise<void> {
	// The card of a deleted person is not kept again.
	if (card !== undefined && known !== null)
		await keepCard(tx, { tenantId, payee, userId: null, card, keys, now });
}
