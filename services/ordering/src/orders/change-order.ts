import type { Domain } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { reportOrders } from "../usage/report.jobs.ts";
import { changeStatus, findOrder, type Reach } from "./order.store.ts";
import { type Order, type OrderStatus, statusesBefore } from "./order.ts";

export type OrderChange = {
	tenantId: string;
	id: string;
	to: OrderStatus;
	/** The current statuses that allow the change. Default: every status that leads to `to`. */
	from?: readonly OrderStatus[];
	reach: Reach;
};

/**
 * Changes the status of an order. A cancelled order is released from the day's count, and its usage report is
 * taken back. Idempotent. Throws `order_not_found`, also for orders that the caller cannot access, and
 * `order_status_conflict` with the current status.
 */
export async function changeOrder(
	{ db, now }: Pick<Domain, "db" | "now">,
	{ tenantId, id, to, from = statusesBefore(to), reach }: OrderChange,
): Promise<Order> {
	return inTenant(db, tenantId, async (tx) => {
		const known = await findOrder(tx, { id, ...reach });
		if (known === undefined) throw failures.order_not_found();
		const isChanged = await changeStatus(tx, { id, outlets: reach.outlets, to, from, now: now() });
		if (isChanged && to === "cancelled") await enqueueJob(tx, reportOrders, { id: tenantId, tenantId });
		const order = await findOrder(tx, { id, ...reach });
		if (order === undefined) throw new Error("the order is missing after it was changed");
		if (order.status !== to) throw failures.order_status_conflict({ fields: { status: order.status } });
		return order;
	});
}
