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
	/** From which statuses this caller may; all that lead there unless it is said. */
	from?: readonly OrderStatus[];
	reach: Reach;
};

/**
 * Moves an order on. A cancelled order is released from the day's count, and its usage report is taken back. One that is there already is left as it is, so the same request again has no second effect. Refuses with
 * `order_not_found`, also for what is out of the caller's reach, or `order_status_conflict`, which tells the status it has.
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
		if (order === undefined) throw new Error("an order is never removed");
		if (order.status !== to) throw failures.order_status_conflict({ fields: { status: order.status } });
		return order;
	});
}
