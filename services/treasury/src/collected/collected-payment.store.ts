import { currentTenant, type Database } from "@lango/postgres";
import type { Gateway, ReceiptChannel } from "../receipts/receipt.ts";

/** A payment of the tenant's own trade, with the intent that it pays and the receipt that brought it. */
export type CollectedPayment = {
	id: string;
	intent: { id: string; operationId: string; orderId: string | null; description: string };
	receipt: {
		id: string;
		receipt: string | null;
		gateway: Gateway;
		channel: ReceiptChannel;
		shortcode: string | null;
		payerMasked: string | null;
		occurredAt: Date;
	};
	amountMinor: bigint;
	refundedMinor: bigint;
	feeMinor: bigint;
	isFeeEstimated: boolean;
	currency: string;
	createdAt: Date;
};

type Row = {
	id: string;
	amount_minor: string;
	refunded_minor: string;
	fee_minor: string;
	created_at: Date;
	intent_id: string;
	operation_id: string;
	order_id: string | null;
	description: string;
	receipt_id: string;
	receipt: string | null;
	gateway: Gateway;
	channel: ReceiptChannel;
	shortcode: string | null;
	payer_masked: string | null;
	occurred_at: Date;
	currency: string;
	is_fee_estimated: boolean;
};

const fromRow = (row: Row): CollectedPayment => ({
	id: row.id,
	intent: {
		...{ id: row.intent_id, operationId: row.operation_id, orderId: row.order_id },
		description: row.description,
	},
	receipt: {
		...{ id: row.receipt_id, receipt: row.receipt, gateway: row.gateway, channel: row.channel },
		...{ shortcode: row.shortcode, payerMasked: row.payer_masked, occurredAt: row.occurred_at },
	},
	...{ amountMinor: BigInt(row.amount_minor), refundedMinor: BigInt(row.refunded_minor) },
	...{ feeMinor: BigInt(row.fee_minor), isFeeEstimated: row.is_fee_estimated },
	...{ currency: row.currency, createdAt: row.created_at },
});

/** What a page of payments contains. */
export type PaymentQuery = {
	id?: string | undefined;
	intentId?: string | undefined;
	/** Only payments of intents whose customer this person is. */
	customerUserId: string | undefined;
	from?: Date | undefined;
	to?: Date | undefined;
	after?: string | undefined;
	limit: number;
};

/** Lists payments of the tenant's own trade, the newest first. Call it inside the tenant. */
export async function listCollected(tx: Database, query: PaymentQuery): Promise<CollectedPayment[]> {
	const rows = await tx.query<Row>(
		`select p.id, p.amount_minor, p.refunded_minor, p.fee_minor, p.created_at,
		        i.id as intent_id, i.operation_id, i.order_id, i.description,
		        r.id as receipt_id, r.receipt, r.gateway, r.channel, r.shortcode, r.payer_masked, r.occurred_at, r.currency,
		        r.is_fee_estimated
		   from payments p
		   join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
		   join receipts r on r.tenant_id = p.tenant_id and r.id = p.receipt_id
		  where p.tenant_id = $8 and i.payee = 'tenant' and ($1::uuid is null or p.id = $1) and ($2::uuid is null or p.intent_id = $2)
		    and ($3::uuid is null or i.customer_user_id = $3)
		    and ($4::timestamptz is null or p.created_at >= $4) and ($5::timestamptz is null or p.created_at < $5)
		    and ($6::uuid is null or p.id < $6)
		  order by p.id desc limit $7`,
		[
			...[query.id ?? null, query.intentId ?? null, query.customerUserId ?? null],
			...[query.from ?? null, query.to ?? null, query.after ?? null, query.limit],
			currentTenant(tx),
		],
	);
	return rows.map(fromRow);
}
