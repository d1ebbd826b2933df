import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import type { Payee } from "../payments/intent.ts";
import type { Ending, StandingOrder, StandingOrderStatus } from "./standing-order.ts";

type Row = {
	tenant_id: string;
	id: string;
	payee: Payee;
	status: StandingOrderStatus;
	phone: string;
	amount_minor: string;
	currency: string;
	frequency: StandingOrder["frequency"];
	start_on: string;
	end_on: string;
	description: string;
	shortcode: string;
	account_code: string;
	gateway_ref: string | null;
	failure_code: string | null;
	executions: number;
	last_executed_at: Date | null;
	needs_replacement: boolean;
	version: number;
	fingerprint: Buffer;
	created_at: Date;
	ended_at: Date | null;
};

const columns = `tenant_id, id, payee, status, phone, amount_minor, currency, frequency, start_on,
	end_on, description, shortcode, account_code, gateway_ref, failure_code, executions,
	last_executed_at, needs_replacement, version, fingerprint, created_at, ended_at`;

/** A standing order with the hash of its request: the same key with another hash is refused. */
export type StoredOrder = StandingOrder & { fingerprint: Buffer };

const fromRow = (row: Row): StoredOrder => ({
	...{ tenantId: row.tenant_id, id: row.id, payee: row.payee, status: row.status, phone: row.phone },
	...{ amountMinor: BigInt(row.amount_minor), currency: row.currency, frequency: row.frequency },
	...{ startOn: row.start_on, endOn: row.end_on, description: row.description, shortcode: row.shortcode },
	...{ accountCode: row.account_code, gatewayRef: row.gateway_ref, failureCode: row.failure_code },
	...{ executions: row.executions, lastExecutedAt: row.last_executed_at, version: row.version },
	...{ needsReplacement: row.needs_replacement, fingerprint: row.fingerprint },
	...{ createdAt: row.created_at, endedAt: row.ended_at },
});

export type NewOrder = Pick<
	StoredOrder,
	| ("tenantId" | "id" | "payee" | "phone" | "amountMinor" | "currency" | "frequency" | "startOn" | "endOn")
	| ("description" | "shortcode" | "accountCode" | "fingerprint" | "createdAt")
> & { createdBy: { kind: string; id: string }; idempotencyKey: string | undefined };

/**
 * Records a standing order that is about to be asked for. Returns undefined if there is one of its
 * Idempotency-Key. Call it inside the tenant.
 */
export async function recordOrder(tx: Database, order: NewOrder): Promise<StoredOrder | undefined> {
	const [row] = await tx.query<Row>(
		`insert into standing_orders (tenant_id, id, payee, status, phone, amount_minor, currency, frequency, start_on, end_on,
		   description, shortcode, account_code, version, created_by_kind, created_by, idempotency_key, fingerprint, created_at)
		 values ($1, $2, $3, 'requested', $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, $13, $14, $15, $16, $17)
		 on conflict (tenant_id, created_by_kind, created_by, idempotency_key) do nothing returning ${columns}`,
		[
			...[order.tenantId, order.id, order.payee, order.phone, order.amountMinor, order.currency],
			...[order.frequency, order.startOn, order.endOn, order.description, order.shortcode, order.accountCode],
			...[order.createdBy.kind, order.createdBy.id, order.idempotencyKey ?? null, order.fingerprint],
			order.createdAt,
		],
	);
	if (row === undefined) return undefined;
	await tx.query(
		"insert into locators (kind, value, tenant_id, object_id) values ('account_code', $1, $2, $3)",
		[order.accountCode, order.tenantId, order.id],
	);
	return fromRow(row);
}

/** Returns the standing order that a caller made with an Idempotency-Key. Call it inside the tenant. */
export async function findOrderByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: NewOrder["createdBy"]; key: string },
): Promise<StoredOrder | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from standing_orders where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns a standing order. Call it inside the tenant. */
export async function findOrder(tx: Database, id: string): Promise<StoredOrder | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from standing_orders where tenant_id = $2 and id = $1`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns a standing order, locked. Call it inside the tenant. */
export async function lockOrder(tx: Database, id: string): Promise<StoredOrder | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from standing_orders where tenant_id = $2 and id = $1 for update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Lists standing orders of the tenant's own trade, the newest first. Call it inside the tenant. */
export async function listOrders(
	tx: Database,
	query: { status: StandingOrderStatus | undefined; after: string | undefined; limit: number },
): Promise<StoredOrder[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from standing_orders
		  where tenant_id = $4 and payee = 'tenant' and ($1::text is null or status = $1) and ($2::uuid is null or id < $2)
		  order by id desc limit $3`,
		[query.status ?? null, query.after ?? null, query.limit, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Changes a standing order that the transaction has locked, and raises its version. Call it inside the
 * tenant.
 */
export async function updateOrder(tx: Database, order: StandingOrder, now: Date): Promise<StoredOrder> {
	const [row] = await tx.query<Row>(
		`update standing_orders set status = $2, gateway_ref = $3, failure_code = $4, executions = $5, last_executed_at = $6,
		   needs_replacement = $7, version = version + 1,
		   ended_at = case when $2 in ('ended', 'stopped', 'failed') then coalesce(ended_at, $8) end
		  where tenant_id = $9 and id = $1 returning ${columns}`,
		[
			...[order.id, order.status, order.gatewayRef, order.failureCode, order.executions],
			...[order.lastExecutedAt, order.needsReplacement, now],
			currentTenant(tx),
		],
	);
	if (row === undefined) throw new Error(`the standing order ${order.id} is missing`);
	return fromRow(row);
}

/**
 * Returns the standing orders by which the tenant pays its bills, or may still do so, locked, the first
 * first. Call it inside the tenant, after `lockBillsOf`.
 */
export async function lockBillOrders(tx: Database): Promise<StoredOrder[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from standing_orders where tenant_id = $1 and payee = 'platform' and ended_at is null order by id for update`,
		[currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Lists standing orders of all tenants that time ends, by id. */
export async function listOrdersOver(
	db: Database,
	{ lastDay, madeAt, after, limit }: Ending & { after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from standing_orders
			  where ended_at is null and (end_on < $1 or (status <> 'active' and created_at < $2))
			    and ($3::uuid is null or id > $3) order by id limit $4`,
			[lastDay, madeAt, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
