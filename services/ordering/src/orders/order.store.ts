import { type Database, type OutletFilter, withinOutlets } from "@lango/postgres";
import type { Order, OrderLine, OrderStatus, Placer } from "./order.ts";

type OrderRow = {
	id: string;
	ordered_on: string;
	number: number;
	outlet_id: string | null;
	placed_by_kind: Placer["kind"];
	placed_by: string;
	status: OrderStatus;
	currency: string;
	total_minor: bigint;
	placed_at: Date;
	changed_at: Date;
	lines: ReadonlyArray<{ item_id: string; name: string; unit_price_minor: string; quantity: number }>;
};

export type NewOrder = {
	tenantId: string;
	placedBy: Placer;
	customerId: string | null;
	outletId: string | undefined;
	totalMinor: bigint;
	idempotencyKey: string | undefined;
	fingerprint: Buffer;
	/** Orders a day; -1: unlimited. */
	limit: number;
	now: Date;
};

/** The id of a placed order, its date and its number of that day. */
export type PlacedOrder = { id: string; orderedOn: string; number: number };

/**
 * Counts and records an order of the tenant's day in one statement. Returns undefined if the limit is
 * reached. Cancelled orders do not count, but keep their numbers. The day's row is locked until the
 * transaction ends, so parallel orders are counted one after the other, and one that is not committed is not
 * counted. Throws the driver's error on `orders__key_unique`.
 */
export async function recordOrder(tx: Database, order: NewOrder): Promise<PlacedOrder | undefined> {
	const { tenantId, placedBy, customerId, outletId, totalMinor, idempotencyKey, fingerprint } = order;
	const [row] = await tx.query<{ id: string; ordered_on: string; number: number }>(
		`with here as (
		   select id, currency, ($2::timestamptz at time zone time_zone)::date as today from tenants where id = $1
		 ), counted as (
		   insert into order_days as d (tenant_id, ordered_on, orders)
		   select id, today, 1 from here where $3::int = -1 or $3 > 0
		   on conflict on constraint order_days__pkey do update
		      set orders = d.orders + 1 where $3 = -1 or d.orders - d.cancelled < $3
		   returning ordered_on, orders
		 )
		 insert into orders (tenant_id, ordered_on, number, outlet_id, customer_id, placed_by_kind, placed_by, status, currency,
		                     total_minor, idempotency_key, fingerprint, placed_at, changed_at)
		 select here.id, counted.ordered_on, counted.orders, $4, $5, $6, $7, 'placed', here.currency, $8, $9, $10, $2, $2
		   from here, counted
		 returning id, ordered_on, number`,
		[
			tenantId,
			order.now,
			order.limit,
			outletId ?? null,
			customerId,
			placedBy.kind,
			placedBy.id,
			totalMinor,
			idempotencyKey ?? null,
			fingerprint,
		],
	);
	return row && { id: row.id, orderedOn: row.ordered_on, number: row.number };
}

/**
 * Returns the number of orders that a caller placed on the tenant's current day, cancelled ones included.
 * Takes a lock until the transaction ends, so parallel orders of the same caller are counted one after the
 * other. Call it inside the tenant.
 */
export async function countOrdersOfCaller(
	tx: Database,
	{ tenantId, placedBy, now }: { tenantId: string; placedBy: Placer; now: Date },
): Promise<number> {
	await tx.query("select pg_advisory_xact_lock(hashtext('orders'), hashtext($1))", [
		`${tenantId} ${placedBy.kind} ${placedBy.id}`,
	]);
	// A separate statement, because it must see rows committed while it waited for the lock. No date lasts 72
	// hours anywhere.
	const [row] = await tx.query<{ orders: number }>(
		`select count(*)::integer as orders
		   from orders o join tenants t on t.id = o.tenant_id
		  where o.tenant_id = $1 and o.placed_by_kind = $2 and o.placed_by = $3
		    and o.placed_at > $4::timestamptz - interval '72 hours'
		    and o.ordered_on = ($4::timestamptz at time zone t.time_zone)::date`,
		[tenantId, placedBy.kind, placedBy.id, now],
	);
	return row?.orders ?? 0;
}

/** Records the lines of a new order. */
export async function recordLines(
	tx: Database,
	{ tenantId, orderId, lines }: { tenantId: string; orderId: string; lines: readonly OrderLine[] },
): Promise<void> {
	await tx.query(
		`insert into order_lines (tenant_id, order_id, position, item_id, name, unit_price_minor, quantity)
		 select o.tenant_id, o.id, line.position, line.item_id, line.name, line.price, line.quantity
		   from orders o
		  cross join unnest($3::uuid[], $4::text[], $5::bigint[], $6::int[])
		        with ordinality as line (item_id, name, price, quantity, position)
		  where o.tenant_id = $1 and o.id = $2`,
		[
			tenantId,
			orderId,
			lines.map(({ itemId }) => itemId),
			lines.map(({ name }) => name),
			lines.map(({ unitPriceMinor }) => unitPriceMinor.toString()),
			lines.map(({ quantity }) => quantity),
		],
	);
}

/** Returns the order that a caller placed with an idempotency key, and the fingerprint of its request. */
export async function findOrderByKey(
	db: Database,
	{ placedBy, key }: { placedBy: Placer; key: string },
): Promise<{ id: string; fingerprint: Buffer } | undefined> {
	const [row] = await db.query<{ id: string; fingerprint: Buffer }>(
		"select id, fingerprint from orders where placed_by_kind = $1 and placed_by = $2 and idempotency_key = $3",
		[placedBy.kind, placedBy.id, key],
	);
	return row;
}

/** The owner (undefined: all) and the outlets of the orders that a caller can access. */
export type Reach = { owner: Placer | undefined; outlets: OutletFilter };

export type OrderPage = Reach & { status: OrderStatus | undefined; after: string | undefined; limit: number };

/**
 * Lists the orders that the caller can access, the newest first. Call it inside a tenant or across tenants.
 */
export async function listOrders(db: Database, page: OrderPage): Promise<Order[]> {
	const { owner, outlets, status, after, limit } = page;
	const rows = await db.query<OrderRow>(
		`select o.id, o.ordered_on, o.number, o.outlet_id, o.placed_by_kind, o.placed_by, o.status, o.currency, o.total_minor,
		        o.placed_at, o.changed_at, (${linesOfOrder}) as lines
		   from orders o
		  where ($1::text is null or (o.placed_by_kind = $1 and o.placed_by = $2))
		    and ${withinOutlets("o.outlet_id", "$3")}
		    and ($4::text is null or o.status = $4)
		    and ($5::uuid is null or (o.placed_at, o.id) < (select c.placed_at, c.id from orders c where c.id = $5))
		  order by o.placed_at desc, o.id desc
		  limit $6`,
		[owner?.kind ?? null, owner?.id ?? null, outlets, status ?? null, after ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Returns an order that the caller can access, undefined if not found. */
export async function findOrder(
	db: Database,
	{ id, owner, outlets }: Reach & { id: string },
): Promise<Order | undefined> {
	const [row] = await db.query<OrderRow>(
		`select o.id, o.ordered_on, o.number, o.outlet_id, o.placed_by_kind, o.placed_by, o.status, o.currency, o.total_minor,
		        o.placed_at, o.changed_at, (${linesOfOrder}) as lines
		   from orders o
		  where o.id = $1 and ($2::text is null or (o.placed_by_kind = $2 and o.placed_by = $3))
		    and ${withinOutlets("o.outlet_id", "$4")}`,
		[id, owner?.kind ?? null, owner?.id ?? null, outlets],
	);
	return row && fromRow(row);
}

/** Prices as text, because JSON numbers would be parsed as floating-point numbers. */
const linesOfOrder = `
	select jsonb_agg(jsonb_build_object('item_id', l.item_id, 'name', l.name, 'unit_price_minor', l.unit_price_minor::text,
	                                    'quantity', l.quantity) order by l.position)
	  from order_lines l where l.tenant_id = o.tenant_id and l.order_id = o.id`;

/** The subscription service takes no older report, so of an older order there is nothing to take back. */
const reportableMs = 7 * 86_400_000;

export type StatusChange = {
	id: string;
	outlets: OutletFilter;
	to: OrderStatus;
	from: readonly OrderStatus[];
	now: Date;
};

/**
 * Changes an order's status if the current one is in `from`, and returns whether it was. A cancelled order is
 * released from the count of its day in the same statement, so each is released once.
 */
export async function changeStatus(
	tx: Database,
	{ id, outlets, to, from, now }: StatusChange,
): Promise<boolean> {
	const rows = await tx.query(
		`with changed as (
		   update orders
		      set status = $2, changed_at = $4::timestamptz,
		          cancellation_reported_at = case when $2 = 'cancelled' and placed_at < $6 then $4::timestamptz end
		    where id = $1 and status = any ($3) and ${withinOutlets("outlet_id", "$5")}
		   returning id, tenant_id, ordered_on
		 ), released as (
		   update order_days d set cancelled = d.cancelled + 1
		     from changed where $2 = 'cancelled' and d.tenant_id = changed.tenant_id and d.ordered_on = changed.ordered_on
		 )
		 select id from changed`,
		[id, to, [...from], now, outlets, new Date(now.getTime() - reportableMs)],
	);
	return rows.length > 0;
}

function fromRow(row: OrderRow): Order {
	return {
		id: row.id,
		orderedOn: row.ordered_on,
		number: row.number,
		outletId: row.outlet_id,
		placedBy: { kind: row.placed_by_kind, id: row.placed_by },
		status: row.status,
		currency: row.currency,
		totalMinor: row.total_minor,
		placedAt: row.placed_at,
		changedAt: row.changed_at,
		lines: row.lines.map(({ item_id: itemId, name, unit_price_minor, quantity }) => ({
			itemId,
			name,
			unitPriceMinor: BigInt(unit_price_minor),
			quantity,
		})),
	};
}
