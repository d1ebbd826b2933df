import type { Database } from "@lango/postgres";
import { changeOrder } from "../../standing-orders/change-order.ts";
import { createOrder, todayInNairobi } from "../../standing-orders/create-standing-order.ts";
import { lockBillOrders, type StoredOrder } from "../../standing-orders/standing-order.store.ts";
import type { StandingOrder } from "../../standing-orders/standing-order.ts";
import type { Treasury } from "../../treasury.ts";
import { lockBillsOf } from "../../unapplied/unapplied.store.ts";
import { covers, requestOf, type Terms, termsOf } from "./bill-order.ts";
import { findBillingMethod } from "./billing-method.store.ts";
import { billingFailures } from "./failures.ts";
import { askForBilling } from "./subscription-billing.ts";

type Choosing = { tenantId: string; phone: string; createdBy: { kind: string; id: string } };

/**
 * Asks the payer for a standing order that pays the tenant's renewals, and returns its id. An order of this
 * phone that covers them stays, also one that is being asked for at the same time. Throws
 * `nothing_to_collect`, `subscription_unavailable` and what `createOrder` throws.
 */
export async function chooseStandingOrder(domain: Treasury, choosing: Choosing): Promise<string> {
	const { tenantId, phone, createdBy } = choosing;
	const billing = await askForBilling(domain, tenantId);
	const terms = termsOf(billing);
	if (terms === undefined) throw billingFailures.nothing_to_collect();
	const now = domain.now();
	const order = await createOrder(domain, {
		...{ tenantId, payee: "platform", createdBy, idempotencyKey: undefined },
		request: requestOf(billing, { phone, terms, today: todayInNairobi(now) }),
		reuse: (tx) => reuseOrder(tx, { tenantId, phone, terms, now }),
	});
	return order.id;
}

type Wanted = { tenantId: string; phone: string; terms: Terms; now: Date };

/**
 * Returns the order that pays the renewals already. One of another request of the same time is stopped: the
 * wallet must not pay twice. The order of the billing method stays until another one takes its place.
 */
async function reuseOrder(
	tx: Database,
	{ tenantId, now, ...wanted }: Wanted,
): Promise<StoredOrder | undefined> {
	await lockBillsOf(tx, tenantId);
	const { standingOrderId } = await findBillingMethod(tx);
	const orders = await lockBillOrders(tx);
	const reused = orders.find((order) => isWanted(order, wanted) && isAsked(order, now));
	for (const order of orders)
		if (order.id !== reused?.id && order.id !== standingOrderId)
			await changeOrder(tx, order, { said: { kind: "stopped" }, now });
	return reused;
}

const isWanted = (order: StandingOrder, { phone, terms }: Pick<Wanted, "phone" | "terms">): boolean =>
	order.phone === phone && covers(order, terms);

const askingMs = 10 * 60_000;

/** After a crash it is not known whether the payer was asked: another request asks again. */
const isAsked = ({ status, createdAt }: StandingOrder, now: Date): boolean =>
	status !== "requested" || now.getTime() - createdAt.getTime() < askingMs;
