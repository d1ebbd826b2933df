import { type Database, inTenant } from "@lango/postgres";
import { findLocator } from "../../payments/locator.store.ts";
import { changeOrder } from "../../standing-orders/change-order.ts";
import { lockOrder } from "../../standing-orders/standing-order.store.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { DeliveryEnd } from "../delivery.store.ts";
import type { Delivery } from "../delivery.ts";
import type { ConsentResult } from "../reading.ts";
import { opens } from "../trust/trust.ts";

type Answered = { delivery: Delivery; result: ConsentResult; now: Date };

const consentedCode = "0";
const applied: DeliveryEnd = { trust: "token", eventKey: undefined, status: "done", because: undefined };

/**
 * Applies what a payer answered to a standing order. Only the token of its request opens it. The gateway
 * cannot be asked about an order, so that without a token its first execution proves the consent.
 */
export async function applyConsent(tx: Database, answered: Answered): Promise<DeliveryEnd> {
	const token = await findLocator(tx, "callback_token", answered.delivery.tokenHash ?? "");
	const isApplied =
		token !== undefined &&
		(await inTenant(tx, token.tenantId, (inside) => applyOpened(inside, answered, token.objectId)));
	if (isApplied) return applied;
	const because = "the answer is to no standing order of ours";
	return { trust: "none", eventKey: undefined, status: "ignored", because };
}

/** Returns false if the token or the id does not fit. */
async function applyOpened(
	tx: Database,
	{ delivery, result, now }: Answered,
	tokenId: string,
): Promise<boolean> {
	const token = await findCallbackToken(tx, tokenId);
	if (token?.objectKind !== "standing_order" || !opens(token, delivery)) return false;
	const order = await lockOrder(tx, token.objectId);
	if (order === undefined) return false;
	const gatewayRef = order.gatewayRef ?? result.requestId;
	if (gatewayRef !== result.requestId) return false;
	const isConsent = result.code === consentedCode;
	const said = isConsent
		? ({ kind: "consented" } as const)
		: ({ kind: "refused", code: result.code } as const);
	await changeOrder(tx, order, { said, now });
	return true;
}
