import { type Database, inTenant } from "@lango/postgres";
import { findTenantGateway, type TenantGateway } from "../../gateways/shortcodes/tenant-gateway.store.ts";
import { mobileMoneyCurrency } from "../../money/amount.ts";
import type { ReceiptEvidence } from "../../outcomes/evidence/evidence.ts";
import { readAccountCode } from "../../payments/account-code.ts";
import { findIntent } from "../../payments/intent.store.ts";
import { findLocators, type Located } from "../../payments/locator.store.ts";
import { findOwnerId, type OwnerLookup } from "../../platform-owner.ts";
import { findErasedOf } from "../../receipts/fitting-receipt.store.ts";
import { findOrder } from "../../standing-orders/standing-order.store.ts";
import type { Treasury } from "../../treasury.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import { idOfShortcode } from "../callback-token.ts";
import type { Delivery } from "../delivery.ts";
import type { Confirmation } from "../reading.ts";
import { opens } from "../trust/trust.ts";

/** Where money belongs that came to a shortcode, and whether the sender of the statement is trusted. */
export type Place = Pick<ReceiptEvidence, "tenantId" | "intentId" | "isTrusted" | "countedId"> &
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
	const { delivery, confirmation } = confirmed;
	const { shortcode, accountRef = "" } = confirmation;
	const [opening, holder, account] = await findLocators(parts.db, [
		{ kind: "callback_token", value: delivery.tokenHash ?? "" },
		{ kind: "shortcode", value: shortcode },
		{ kind: "account_code", value: readAccountCode(accountRef) ?? "" },
	]);
	const { token, gateway, named } = await readOf(parts.db, { opening, holder: holder ?? opening, account });
	const opener = isOpening(parts, confirmed, token) ? opening : undefined;
	const holderId = holder?.tenantId ?? opener?.tenantId;
	if (holderId === undefined) return undefined;
	const isTrusted = opener?.tenantId === holderId;
	const mayName = isTrusted && gateway?.shortcode === shortcode;
	const place = await placeMoney(parts, { holderId, accountRef, named: mayName ? named : undefined });
	const erased = mayName && account === undefined ? await placeErased(parts, confirmation, place) : undefined;
	return { ...place, ...erased, isTrusted };
}

/** The account was that of a deleted tenant, and a query counted the money before it was deleted. */
async function placeErased(
	{ db }: Parts,
	{ shortcode, amountMinor, accountRef = "", occurredAt: paidAt }: Confirmation,
	{ custody }: Pick<Place, "custody">,
): Promise<Pick<Place, "tenantId" | "countedId" | "accountRef"> | undefined> {
	const code = readAccountCode(accountRef);
	if (code === undefined || custody !== "platform") return undefined;
	const counted = await findErasedOf(db, { shortcode, amountMinor, accountRef: code, paidAt });
	return counted && { tenantId: counted.tenantId, countedId: counted.id, accountRef: code };
}

type Places = Record<"opening" | "holder" | "account", Located | undefined>;

/** Reads what is stored at these places: each tenant once. */
async function readOf(db: Database, { opening, holder, account }: Places) {
	const ids = [opening, holder, account].flatMap((place) => place?.tenantId ?? []);
	const read: Read = { token: undefined, gateway: undefined, named: undefined };
	for (const id of new Set(ids))
		await inTenant(db, id, async (tx) => {
			if (opening?.tenantId === id) read.token = await findCallbackToken(tx, opening.objectId);
			if (holder?.tenantId === id) read.gateway = await findTenantGateway(tx);
			if (account?.tenantId === id) read.named = await findNamed(tx, account.objectId);
		});
	return read;
}

type Token = Awaited<ReturnType<typeof findCallbackToken>>;
type Named = Awaited<ReturnType<typeof findNamed>>;
type Read = { token: Token; gateway: TenantGateway | undefined; named: Named };

/** Whether the token in the address is of this route, profile and shortcode, and not over. */
function isOpening({ now }: Parts, { delivery, confirmation }: Confirmed, token: Token): boolean {
	const { shortcode, occurredAt } = confirmation;
	if (token?.objectKind !== "shortcode" || token.objectId !== idOfShortcode(shortcode)) return false;
	const isAhead = occurredAt !== undefined && occurredAt.getTime() > now().getTime() + aheadMs;
	return opens(token, delivery) && !isAhead;
}

type Received = { holderId: string; accountRef: string; named: Named };

/**
 * Finds what the account of a payment names: an intent or a standing order that collects through this
 * shortcode, else nothing of the tenant that has the shortcode. One that the tenant does not use any
 * more, as after a merge, names neither, nor does an account that a sender without trust says.
 */
async function placeMoney(
	parts: Parts,
	{ holderId, accountRef, named }: Received,
): Promise<Omit<Place, "isTrusted" | "countedId">> {
	const ownerId = await findOwnerId(parts);
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

async function findNamed(tx: Database, id: string) {
	const intent = await findIntent(tx, id);
	if (intent !== undefined) return { ...intent, intentId: intent.id };
	const order = await findOrder(tx, id);
	return order && { ...order, intentId: undefined };
}
