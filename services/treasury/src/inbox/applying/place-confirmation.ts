import { type Database, inTenant } from "@lango/postgres";
import { findTenantGateway } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { mobileMoneyCurrency } from "../../money/amount.ts";
import type { ReceiptEvidence } from "../../outcomes/evidence/evidence.ts";
import { readAccountCode } from "../../payments/account-code.ts";
import { findIntent } from "../../payments/intent.store.ts";
import { findLocator } from "../../payments/locator.store.ts";
import { findOwnerId, type OwnerLookup } from "../../platform-owner.ts";
import { findOrder } from "../../standing-orders/standing-order.store.ts";
import type { Treasury } from "../../treasury.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import { idOfShortcode } from "../callback-token.ts";
import type { Delivery } from "../delivery.ts";
import type { Confirmation } from "../reading.ts";
import { opens } from "../trust/trust.ts";

/** Where money belongs that came to a shortcode, and whether the sender of the statement is trusted. */
export type Place = Pick<ReceiptEvidence, "tenantId" | "intentId" | "isTrusted"> &
	Pick<ReceiptEvidence["money"], "custody" | "accountRef"> & {
		/** The standing order that its account names. */
		orderId?: string;
	};

type Parts = Pick<Treasury, "db" | "now"> & OwnerLookup;
type Confirmed = { delivery: Delivery; confirmation: Confirmation };

/** The gateway's clock may be ahead of ours. */
const aheadMs = 5 * 60_000;

/**
 * Finds where the money of a confirmation belongs: to the tenant that has the shortcode, or registered its
 * addresses; undefined if no tenant has. It reads several tenants, so call it outside a transaction.
 */
export async function placeConfirmation(parts: Parts, confirmed: Confirmed): Promise<Place | undefined> {
	const { shortcode, accountRef } = confirmed.confirmation;
	const token = await findOpening(parts, confirmed);
	const holder = await findLocator(parts.db, "shortcode", shortcode);
	const holderId = holder?.tenantId ?? token?.tenantId;
	if (holderId === undefined) return undefined;
	const isTrusted = token?.tenantId === holderId;
	return { ...(await placeMoney(parts, { holderId, shortcode, accountRef, isTrusted })), isTrusted };
}

/** The token in the address, if it is of this route, profile and shortcode, and not over. */
async function findOpening(
	{ db, now }: Parts,
	{ delivery, confirmation: { shortcode, occurredAt } }: Confirmed,
): Promise<{ tenantId: string } | undefined> {
	const located = await findLocator(db, "callback_token", delivery.tokenHash ?? "");
	if (located === undefined) return undefined;
	const token = await inTenant(db, located.tenantId, (tx) => findCallbackToken(tx, located.objectId));
	if (token?.objectKind !== "shortcode" || token.objectId !== idOfShortcode(shortcode)) return undefined;
	const isAhead = occurredAt !== undefined && occurredAt.getTime() > now().getTime() + aheadMs;
	return opens(token, delivery) && !isAhead ? located : undefined;
}

type Received = {
	holderId: string;
	shortcode: string;
	accountRef: string | undefined;
	isTrusted: boolean;
};

/**
 * Finds what the account of a payment names: an intent or a standing order that collects through this
 * shortcode, else nothing of the tenant that has the shortcode. One that the tenant does not use any
 * more, as after a merge, names neither, nor does an account that a sender without trust says.
 */
async function placeMoney(
	parts: Parts,
	{ holderId, shortcode, accountRef = "", isTrusted }: Received,
): Promise<Omit<Place, "isTrusted">> {
	const { db } = parts;
	const ownerId = await findOwnerId(parts);
	const gateway = await inTenant(db, holderId, findTenantGateway);
	const named = isTrusted && gateway?.shortcode === shortcode ? await findNamed(db, accountRef) : undefined;
	const collectorId = named?.payee === "platform" ? ownerId : named?.tenantId;
	if (named === undefined || collectorId !== holderId || named.currency !== mobileMoneyCurrency)
		return {
			...{ tenantId: holderId, intentId: undefined, accountRef: accountRef === "" ? null : accountRef },
			custody: holderId === ownerId ? "platform" : "tenant",
		};
	const { tenantId, intentId, accountCode, payee: custody } = named;
	const order = intentId === undefined && { orderId: named.id };
	return { tenantId, intentId, accountRef: accountCode, custody, ...order };
}

async function findNamed(db: Database, accountRef: string) {
	const code = readAccountCode(accountRef);
	const named = code === undefined ? undefined : await findLocator(db, "account_code", code);
	if (named === undefined) return undefined;
	return inTenant(db, named.tenantId, async (tx) => {
		const intent = await findIntent(tx, named.objectId);
		if (intent !== undefined) return { ...intent, intentId: intent.id };
		const order = await findOrder(tx, named.objectId);
		return order && { ...order, intentId: undefined };
	});
}
