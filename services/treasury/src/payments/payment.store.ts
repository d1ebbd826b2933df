import type { Database } from "@lango/postgres";

/** A receipt, or a part of one, that was allocated to an intent. */
export type Payment = {
	id: string;
	intentId: string;
	/** For the payment of a bill, the receipt that completed it. */
	receiptId: string;
	amountMinor: bigint;
	feeMinor: bigint;
	refundedMinor: bigint;
	createdAt: Date;
};

type Row = {
	id: string;
	intent_id: string;
	receipt_id: string;
	amount_minor: string;
	fee_minor: string;
	refunded_minor: string;
	created_at: Date;
};

const columns = "id, intent_id, receipt_id, amount_minor, fee_minor, refunded_minor, created_at";

const fromRow = (row: Row): Payment => ({
	id: row.id,
	intentId: row.intent_id,
	receiptId: row.receipt_id,
	amountMinor: BigInt(row.amount_minor),
	feeMinor: BigInt(row.fee_minor),
	refundedMinor: BigInt(row.refunded_minor),
	createdAt: row.created_at,
});

type NewPayment = Omit<Payment, "refundedMinor"> & {
	tenantId: string;
	/** What of it is in `tenant.pending`, until a settlement releases it. */
	pendingMinor: bigint;
};

/** Records a payment. Call it inside the tenant. */
export async function recordPayment(tx: Database, payment: NewPayment): Promise<void> {
	await tx.query(
		`insert into payments (tenant_id, id, intent_id, receipt_id, amount_minor, fee_minor, pending_minor, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[
			...[payment.tenantId, payment.id, payment.intentId, payment.receiptId],
			...[payment.amountMinor, payment.feeMinor, payment.pendingMinor, payment.createdAt],
		],
	);
}

/** Lists the payments of intents, the first first. Call it inside the tenant. */
export async function listPayments(tx: Database, intentIds: readonly string[]): Promise<Payment[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payments where intent_id = any ($1::uuid[]) order by intent_id, id`,
		[intentIds],
	);
	return rows.map(fromRow);
}

/** Lists the payments that were made of receipts, the first first. Call it inside the tenant. */
export async function listPaymentsOf(tx: Database, receiptIds: readonly string[]): Promise<Payment[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payments where receipt_id = any ($1::uuid[]) order by receipt_id, id`,
		[receiptIds],
	);
	return rows.map(fromRow);
}
