import { currentTenant, type Database } from "@lango/postgres";

/** A receipt, or a part of one, that was allocated to an intent. */
export type Payment = {
	id: string;
	intentId: string;
	/** For the payment of a bill, the receipt that completed it. */
	receiptId: string;
	amountMinor: bigint;
	feeMinor: bigint;
	refundedMinor: bigint;
	/** What of it is in `tenant.pending`. */
	pendingMinor: bigint;
	/** When a settlement released it to the tenant; null before. */
	releasedAt: Date | null;
	createdAt: Date;
};

type Row = {
	id: string;
	intent_id: string;
	receipt_id: string;
	amount_minor: string;
	fee_minor: string;
	refunded_minor: string;
	pending_minor: string;
	released_at: Date | null;
	created_at: Date;
};

const columns =
	"id, intent_id, receipt_id, amount_minor, fee_minor, refunded_minor, pending_minor, released_at, created_at";

const fromRow = (row: Row): Payment => ({
	id: row.id,
	intentId: row.intent_id,
	receiptId: row.receipt_id,
	amountMinor: BigInt(row.amount_minor),
	feeMinor: BigInt(row.fee_minor),
	refundedMinor: BigInt(row.refunded_minor),
	pendingMinor: BigInt(row.pending_minor),
	releasedAt: row.released_at,
	createdAt: row.created_at,
});

type NewPayment = Omit<Payment, "refundedMinor" | "releasedAt"> & {
	tenantId: string;
};

/** Records a payment: one of a receipt that is settled is released at once. Call it inside the tenant. */
export async function recordPayment(tx: Database, payment: NewPayment): Promise<void> {
	await tx.query(
		`insert into payments (tenant_id, id, intent_id, receipt_id, amount_minor, fee_minor, pending_minor, created_at, released_at)
		 select r.tenant_id, $2, $3, r.id, $5, $6, $7, $8, case when r.settled_at is not null then $8::timestamptz end
		   from receipts r where r.tenant_id = $1 and r.id = $4`,
		[
			...[payment.tenantId, payment.id, payment.intentId, payment.receiptId],
			...[payment.amountMinor, payment.feeMinor, payment.pendingMinor, payment.createdAt],
		],
	);
}

/** Lists the payments of intents, the first first. Call it inside the tenant. */
export async function listPayments(tx: Database, intentIds: readonly string[]): Promise<Payment[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payments where tenant_id = $2 and intent_id = any ($1::uuid[]) order by intent_id, id`,
		[intentIds, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Lists the payments that were made of receipts, the first first. Call it inside the tenant. */
export async function listPaymentsOf(tx: Database, receiptIds: readonly string[]): Promise<Payment[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payments where tenant_id = $2 and receipt_id = any ($1::uuid[]) order by receipt_id, id`,
		[receiptIds, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Returns a payment. Call it inside the tenant. */
export async function findPayment(tx: Database, id: string): Promise<Payment | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from payments where tenant_id = $2 and id = $1`, [
		id,
		currentTenant(tx),
	]);
	return row && fromRow(row);
}

/** Returns a payment of the tenant's own trade. Call it inside the tenant. */
export async function findTradePayment(tx: Database, id: string): Promise<Payment | undefined> {
	const found = await findPayment(tx, id);
	return (found && (await listTradePayments(tx, found.receiptId)))?.find((one) => one.id === id);
}

/**
 * Lists the payments of the tenant's own trade that were made of a receipt, the first first. Call it inside
 * the tenant.
 */
export async function listTradePayments(tx: Database, receiptId: string): Promise<Payment[]> {
	const rows = await tx.query<Row>(
		`select ${columns.replaceAll(/(\w+)/g, "p.$1")} from payments p
		   join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id and i.payee = 'tenant'
		  where p.tenant_id = $2 and p.receipt_id = $1 order by p.id`,
		[receiptId, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Lists the intents of payments, each once. Call it inside the tenant. */
export async function listIntentsOf(
	tx: Database,
	paymentIds: readonly string[],
): Promise<Array<{ id: string; operationId: string }>> {
	const rows = await tx.query<{ id: string; operation_id: string }>(
		`select distinct i.id, i.operation_id from payments p
		   join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
		  where p.tenant_id = $2 and p.id = any ($1::uuid[])`,
		[paymentIds, currentTenant(tx)],
	);
	return rows.map(({ id, operation_id }) => ({ id, operationId: operation_id }));
}

/** Changes what of a payment is in `tenant.pending`. Call it inside the tenant, with its receipt locked. */
export async function addPending(tx: Database, id: string, amountMinor: bigint): Promise<void> {
	await tx.query("update payments set pending_minor = pending_minor + $2 where tenant_id = $3 and id = $1", [
		id,
		amountMinor,
		currentTenant(tx),
	]);
}

/**
 * Raises what of a payment was returned, to its amount at most. Returns its intent and by how much. Call it
 * inside the tenant, with its receipt locked.
 */
export async function raiseRefunded(
	tx: Database,
	id: string,
	amountMinor: bigint,
): Promise<{ intentId: string; amountMinor: bigint }> {
	const before = await findPayment(tx, id);
	if (before === undefined) throw new Error(`the payment ${id} is missing`);
	const left = before.amountMinor - before.refundedMinor;
	const raised = left < amountMinor ? left : amountMinor;
	await tx.query(
		"update payments set refunded_minor = refunded_minor + $2 where tenant_id = $3 and id = $1",
		[id, raised, currentTenant(tx)],
	);
	return { intentId: before.intentId, amountMinor: raised };
}
