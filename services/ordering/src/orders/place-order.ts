import { type Domain, Failure, limitReached, requireOutlet } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant, violatedConstraint, withOutletScope } from "@lango/postgres";
import { findSoldItems } from "../catalog/item.store.ts";
import { ensureCustomer } from "../customers/customer.store.ts";
import { failures } from "../failures.ts";
import { reportOrders } from "../usage/report.jobs.ts";
import { countOrdersOfCaller, findOrder, findOrderByKey, recordLines, recordOrder } from "./order.store.ts";
import { fingerprintOf, type Order, type Placer, priceLines, type Wanted } from "./order.ts";

/** The plan's limit for orders (spec §7). */
export const dailyLimit = "max_orders_per_day";

/** A request to place an order. */
export type OrderRequest = {
	tenantId: string;
	placedBy: Placer;
	/** The person's name and address, for a profile that does not exist yet. */
	person: { name: string; email: string } | undefined;
	outletId: string | undefined;
	wanted: Wanted;
	idempotencyKey: string | undefined;
	/** `max_orders_per_day`; -1: unlimited. */
	limit: number;
	/**
	 * The customer's share in orders a day; undefined for staff and programs, and if the tenant's limit is
	 * unlimited.
	 */
	share: number | undefined;
};

type Parts = Pick<Domain, "db" | "now">;

/**
 * Places an order at the current prices. Counts it against the day's limit, records it and enqueues its usage
 * report in one transaction. A repetition by the same caller with the same key returns the first order.
 * Throws `limit_reached`, `customer_limit_reached`, `item_unavailable`, `outlet_not_found`,
 * `idempotency_key_reused`.
 */
export async function placeOrder(
	{ db, now }: Parts,
	request: OrderRequest,
): Promise<{ order: Order; isRepeated: boolean }> {
	// The caller's earlier order is looked up at every outlet, because a key can be used only once.
	const earlier = () =>
		withOutletScope("all", () => inTenant(db, request.tenantId, (tx) => findEarlier(tx, request)));
	const known = await earlier();
	if (known !== undefined) return { order: known, isRepeated: true };
	try {
		const order = await inTenant(db, request.tenantId, (tx) => place(tx, request, now()));
		return { order, isRepeated: false };
	} catch (error) {
		// A parallel repetition of the same request: the one that fails returns the order that the other placed.
		const placed = mayHaveBeenPlaced(error) ? await earlier() : undefined;
		if (placed === undefined) throw error;
		return { order: placed, isRepeated: true };
	}
}

const limitCodes: ReadonlySet<string> = new Set(["limit_reached", "customer_limit_reached"]);

function mayHaveBeenPlaced(error: unknown): boolean {
	if (violatedConstraint(error) === "orders__key_unique") return true;
	return error instanceof Failure && limitCodes.has(error.code);
}

async function findEarlier(tx: Database, request: OrderRequest): Promise<Order | undefined> {
	const { placedBy, wanted, outletId, idempotencyKey: key } = request;
	const earlier = key === undefined ? undefined : await findOrderByKey(tx, { placedBy, key });
	if (earlier === undefined) return undefined;
	if (!earlier.fingerprint.equals(fingerprintOf(wanted, outletId))) throw failures.idempotency_key_reused();
	return findOrder(tx, { id: earlier.id, owner: undefined, outlets: null });
}

async function place(tx: Database, request: OrderRequest, now: Date): Promise<Order> {
	const { tenantId, placedBy, outletId, wanted, idempotencyKey, limit, person } = request;
	if (outletId !== undefined)
		await requireOutlet(tx, { tenantId, outletId }, { field: "x-outlet-id", in: "headers" });
	const sold = await findSoldItems(
		tx,
		wanted.map(({ itemId }) => itemId),
	);
	const priced = priceLines(wanted, sold);
	if ("missing" in priced)
		throw failures.item_unavailable({ fields: { field: "lines", in: "body", item_ids: priced.missing } });
	const { lines, totalMinor } = priced;
	const customerId =
		person === undefined
			? null
			: await ensureCustomer(tx, { tenantId, subject: placedBy.id, ...person, now });
	const fingerprint = fingerprintOf(wanted, outletId);
	const order = { tenantId, placedBy, customerId, outletId, totalMinor, idempotencyKey, fingerprint };
	await requireShare(tx, request, now);
	const placed = await recordOrder(tx, { ...order, limit, now });
	if (placed === undefined) throw limitReached(dailyLimit, limit);
	await recordLines(tx, { tenantId, orderId: placed.id, lines });
	await enqueueJob(tx, reportOrders, { id: tenantId, tenantId });
	const found = await findOrder(tx, { id: placed.id, owner: undefined, outlets: null });
	if (found === undefined) throw new Error("the order is missing after it was placed");
	return found;
}

/**
 * Refuses an order if the customer's share of the day's limit is used. Cancelled orders count, so that
 * placing and cancelling in a loop is bounded, too.
 */
async function requireShare(
	tx: Database,
	{ tenantId, placedBy, share }: OrderRequest,
	now: Date,
): Promise<void> {
	if (share === undefined) return;
	if ((await countOrdersOfCaller(tx, { tenantId, placedBy, now })) < share) return;
	throw failures.customer_limit_reached({ fields: { limit: dailyLimit, limit_value: share } });
}
