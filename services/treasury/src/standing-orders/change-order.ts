import { treasuryStandingOrderChanged } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import type { Database } from "@lango/postgres";
import { type StoredOrder, updateOrder } from "./standing-order.store.ts";
import { nextStatus, type OrderSaid, type StandingOrder } from "./standing-order.ts";

/** What changes with the status. */
type Change = Partial<
	Pick<StandingOrder, "gatewayRef" | "executions" | "lastExecutedAt" | "needsReplacement">
>;

type Happened = {
	said?: OrderSaid;
	change?: Change;
	/** What a new order has to pay, if this one has to be replaced from now on. */
	replacementMinor?: bigint | undefined;
	now: Date;
};

/**
 * Applies what is said about a standing order that the transaction has locked, and publishes its new state.
 * What was said before changes nothing. Call it inside the tenant.
 */
export async function changeOrder(
	tx: Database,
	order: StoredOrder,
	{ said, change = {}, replacementMinor, now }: Happened,
): Promise<StoredOrder> {
	const status = said && nextStatus(order.status, said);
	if (status === undefined && Object.keys(change).length === 0) return order;
	const failureCode = failureOf(order, status, said);
	const changed = { ...order, ...change, status: status ?? order.status, failureCode };
	const stored = await updateOrder(tx, changed, now);
	await recordEvent(tx, treasuryStandingOrderChanged, {
		...{ subject: stored.id, tenantId: stored.tenantId, now },
		data: {
			...{ standing_order_id: stored.id, tenant_id: stored.tenantId, payee: stored.payee },
			...{ status: stored.status, needs_replacement: stored.needsReplacement, version: stored.version },
			...{ amount_minor: Number(stored.amountMinor), currency: stored.currency },
			...(replacementMinor !== undefined && { replacement_minor: Number(replacementMinor) }),
		},
	});
	return stored;
}

function failureOf({ failureCode }: StoredOrder, status: string | undefined, said: OrderSaid | undefined) {
	if (status === undefined) return failureCode;
	return said?.kind === "refused" ? said.code : null;
}
