import { type Database, inTenant } from "@lango/postgres";
import { findLocator } from "../../payments/locator.store.ts";
import { findCallbackToken } from "../callback-token.store.ts";
import type { Delivery } from "../delivery.ts";
import { opens } from "./trust.ts";

/** Whether a token of ours in its address opens a delivery, whatever it is about. */
export async function isOpened(tx: Database, delivery: Delivery): Promise<boolean> {
	const located = await findLocator(tx, "callback_token", delivery.tokenHash ?? "");
	if (located === undefined) return false;
	const token = await inTenant(tx, located.tenantId, (inside) => findCallbackToken(inside, located.objectId));
	return token !== undefined && opens(token, delivery);
}
