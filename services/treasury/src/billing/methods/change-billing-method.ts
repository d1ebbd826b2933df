import { type AuditEntry, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { cardSubscriptionFailures } from "../../card-subscriptions/failures.ts";
import { changeOrder } from "../../standing-orders/change-order.ts";
import { lockBillOrders } from "../../standing-orders/standing-order.store.ts";
import type { Treasury } from "../../treasury.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";
import { type BillingMethod, findBillingMethod, updateBillingMethod } from "./billing-method.store.ts";
import { chooseCardSubscription } from "./choose-card-subscription.ts";
import { chooseStandingOrder } from "./choose-standing-order.ts";
import { billingFailures } from "./failures.ts";
import { stopLater } from "./follow-by-card.ts";

type Changing = {
	tenantId: string;
	method: Pick<BillingMethod, "kind" | "phone" | "email">;
	/** The card that is charged, with the method `card_subscription`. */
	authorizationId: string | undefined;
	by: Pick<AuditEntry, "actor" | "requestId" | "address">;
};

/**
 * Changes how a tenant's renewals are collected. At most one standing order of a tenant pays its bills: of
 * changes at the same time the last one counts. Throws `billing_method_changed` and what
 * `chooseStandingOrder` and `chooseCardSubscription` throw.
 */
export async function changeBillingMethod(domain: Treasury, changing: Changing): Promise<BillingMethod> {
	const { db, now } = domain;
	const { tenantId, method, by } = changing;
	const asked = { tenantId, phone: method.phone ?? "", createdBy: by.actor };
	const standingOrderId = method.kind === "standing_order" ? await chooseStandingOrder(domain, asked) : null;
	const cardSubscriptionId = method.kind === "card_subscription" ? await chooseCard(domain, changing) : null;
	return inTenant(db, tenantId, async (tx) => {
		await lockBillsOf(tx, tenantId);
		await keepOnly(tx, standingOrderId, now());
		await stopFormerCard(tx, { tenantId, kept: cardSubscriptionId });
		const chosen = { ...method, standingOrderId, cardSubscriptionId, now: now() };
		const stored = await updateBillingMethod(tx, tenantId, chosen);
		await recordAudit(tx, {
			...{ tenantId, at: now(), ...by, action: "billing_method.changed", subject: tenantId },
			detail: { kind: method.kind },
		});
		return stored;
	});
}

/** Stops the tenant's other orders. Throws `billing_method_changed` if this one was stopped meanwhile. */
async function keepOnly(tx: Database, kept: string | null, now: Date): Promise<void> {
	const orders = await lockBillOrders(tx);
	if (kept !== null && !orders.some(({ id }) => id === kept)) throw billingFailures.billing_method_changed();
	for (const order of orders)
		if (order.id !== kept) await changeOrder(tx, order, { said: { kind: "stopped" }, now });
}

/** Stops a standing order that pays the tenant's bills, unless its billing method names it. */
export function stopUnusedOrder({ db, now }: Treasury, tenantId: string, id: string): Promise<void> {
	return inTenant(db, tenantId, async (tx) => {
		await lockBillsOf(tx, tenantId);
		const { standingOrderId } = await findBillingMethod(tx);
		const order = (await lockBillOrders(tx)).find((one) => one.id === id && one.id !== standingOrderId);
		if (order !== undefined) await changeOrder(tx, order, { said: { kind: "stopped" }, now: now() });
	});
}

function chooseCard(domain: Treasury, { tenantId, authorizationId, by }: Changing): Promise<string> {
	if (authorizationId === undefined) throw cardSubscriptionFailures.authorization_missing();
	return chooseCardSubscription(domain, { tenantId, authorizationId, createdBy: by.actor });
}

async function stopFormerCard(
	tx: Database,
	{ tenantId, kept }: { tenantId: string; kept: string | null },
): Promise<void> {
	const { cardSubscriptionId: id } = await findBillingMethod(tx);
	if (id !== null && id !== kept) await stopLater(tx, { tenantId, id });
}
