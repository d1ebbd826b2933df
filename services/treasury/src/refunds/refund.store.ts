import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import { type Refund, type RefundMethod, type RefundStatus, refundRanks } from "./refund.ts";

type Row = {
	tenant_id: string;
	id: string;
	receipt_id: string;
	payment_id: string | null;
	origin: Refund["origin"];
	method: RefundMethod;
	amount_minor: string;
	currency: string;
	status: RefundStatus;
	reason: string;
	customer_note: string | null;
	gateway_ref: string | null;
	originator_id: string | null;
	failure_code: string | null;
	fee_minor: string | null;
	needs_review: boolean;
	proposed_by: string | null;
	proposed_at: Date | null;
	checks: number;
	submitted_at: Date | null;
	next_check_at: Date | null;
	version: number;
	fingerprint: Buffer;
	created_at: Date;
	ended_at: Date | null;
};

const columns = `tenant_id, id, receipt_id, payment_id, origin, method, amount_minor, currency, status, reason, customer_note,
	gateway_ref, originator_id, failure_code, fee_minor, needs_review, proposed_by, proposed_at, checks, submitted_at, next_check_at, version, fingerprint, created_at,
	ended_at`;

/** A refund with the hash of its request: the same key with another hash is refused. */
export type StoredRefund = Refund & { fingerprint: Buffer };

const fromRow = (row: Row): StoredRefund => ({
	...{ tenantId: row.tenant_id, id: row.id, receiptId: row.receipt_id, paymentId: row.payment_id },
	...{ origin: row.origin, method: row.method, amountMinor: BigInt(row.amount_minor) },
	...{ currency: row.currency, status: row.status, reason: row.reason },
	...{ customerNote: row.customer_note, gatewayRef: row.gateway_ref, originatorId: row.originator_id },
	...{ failureCode: row.failure_code, needsReview: row.needs_review, checks: row.checks },
	feeMinor: row.fee_minor === null ? null : BigInt(row.fee_minor),
	...{ proposedBy: row.proposed_by, proposedAt: row.proposed_at },
	...{ submittedAt: row.submitted_at, nextCheckAt: row.next_check_at, version: row.version },
	...{ fingerprint: row.fingerprint, createdAt: row.created_at, endedAt: row.ended_at },
});

/** The person or program that asked for it. */
export type RefundCreator = { kind: string; id: string };

export type NewRefund = Pick<
	Refund,
	"tenantId" | "id" | "receiptId" | "paymentId" | "origin" | "method" | "amountMinor" | "currency"
> &
	Pick<Refund, "reason" | "customerNote" | "gatewayRef" | "nextCheckAt" | "createdAt"> & {
		createdBy: RefundCreator;
		idempotencyKey: string | undefined;
		fingerprint: Buffer;
	};

/** Records a refund as requested. Call it inside the tenant, with its receipt locked. */
export async function recordRefund(tx: Database, refund: NewRefund): Promise<StoredRefund> {
	const [row] = await tx.query<Row>(
		`insert into refunds (tenant_id, id, receipt_id, payment_id, origin, method, amount_minor, currency, status, rank,
		   reason, customer_note, gateway_ref, next_check_at, version, created_by_kind, created_by, idempotency_key, fingerprint,
		   created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, 'requested', 0, $9, $10, $11, $12, 1, $13, $14, $15, $16, $17)
		 returning ${columns}`,
		[
			...[refund.tenantId, refund.id, refund.receiptId, refund.paymentId, refund.origin, refund.method],
			...[refund.amountMinor, refund.currency, refund.reason, refund.customerNote],
			...[refund.gatewayRef, refund.nextCheckAt, refund.createdBy.kind, refund.createdBy.id],
			...[refund.idempotencyKey ?? null, refund.fingerprint, refund.createdAt],
		],
	);
	if (row === undefined) throw new Error("the refund was not recorded");
	return fromRow(row);
}

/** Returns a refund. Call it inside the tenant. */
export async function findRefund(tx: Database, id: string): Promise<StoredRefund | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from refunds where tenant_id = $2 and id = $1`, [
		id,
		currentTenant(tx),
	]);
	return row && fromRow(row);
}

/** Returns a refund, locked. Call it inside the tenant, after its receipt was locked. */
export async function lockRefund(tx: Database, id: string): Promise<StoredRefund | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from refunds where tenant_id = $2 and id = $1 for update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns the refund that a caller asked for with an Idempotency-Key. Call it inside the tenant. */
export async function findRefundByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: RefundCreator; key: string },
): Promise<StoredRefund | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from refunds where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns the refund of a request to the mobile-money gateway. Call it inside the tenant. */
export async function findRefundByOriginator(
	tx: Database,
	originatorId: string,
): Promise<StoredRefund | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from refunds where tenant_id = $2 and originator_id = $1`,
		[originatorId, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Lists the refunds of a receipt, the first first. Call it inside the tenant. */
export async function listRefundsOf(tx: Database, receiptId: string): Promise<StoredRefund[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from refunds where tenant_id = $2 and receipt_id = $1 order by id`,
		[receiptId, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/** Whether something of a receipt may still be returned. Call it inside the tenant. */
export async function isBeingRefunded(tx: Database, receiptId: string): Promise<boolean> {
	const rows = await tx.query(
		"select from refunds where tenant_id = $2 and receipt_id = $1 and ended_at is null limit 1",
		[receiptId, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Whether a receipt is or was to be reversed, whatever became of it. Call it inside the tenant. */
export async function wasReversalAsked(tx: Database, receiptId: string): Promise<boolean> {
	const rows = await tx.query(
		"select from refunds where tenant_id = $2 and receipt_id = $1 and method = 'reversal' limit 1",
		[receiptId, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** What a page of refunds contains. */
export type RefundQuery = {
	paymentId?: string | undefined;
	receiptId?: string | undefined;
	status?: RefundStatus | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists refunds, the newest first. Call it inside the tenant. */
export async function listRefunds(tx: Database, query: RefundQuery): Promise<StoredRefund[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from refunds
		  where tenant_id = $6 and ($1::uuid is null or payment_id = $1) and ($2::uuid is null or receipt_id = $2)
		    and ($3::text is null or status = $3) and ($4::uuid is null or id < $4)
		  order by id desc limit $5`,
		[
			...[query.paymentId ?? null, query.receiptId ?? null, query.status ?? null],
			...[query.after ?? null, query.limit],
			currentTenant(tx),
		],
	);
	return rows.map(fromRow);
}

/** What changes of a refund. */
export type RefundChange = Pick<Refund, "status" | "failureCode" | "needsReview">;

/** Changes a refund that is locked, and raises its version. Call it inside the tenant. */
export async function updateRefund(
	tx: Database,
	id: string,
	{ change, now }: { change: RefundChange; now: Date },
): Promise<StoredRefund> {
	const { status, failureCode, needsReview } = change;
	const isOver = refundRanks[status] >= refundRanks.failed;
	const [row] = await tx.query<Row>(
		`update refunds set status = $2, rank = $3, failure_code = $4, needs_review = $5,
		   submitted_at = case when $2 = 'submitting' then $6 else submitted_at end,
		   next_check_at = case when $7 then null else next_check_at end,
		   ended_at = case when $7 then coalesce(ended_at, $6) end, version = version + 1
		  where tenant_id = $8 and id = $1 returning ${columns}`,
		[id, status, refundRanks[status], failureCode, needsReview, now, isOver, currentTenant(tx)],
	);
	if (row === undefined) throw new Error(`the refund ${id} is missing`);
	return fromRow(row);
}

/**
 * Stores the ids that the gateway gave a refund; those that it gave before stay, and the refund's own id, by
 * which it was sent, gives way to one of the gateway. Call it inside the tenant.
 */
export async function nameRefund(
	tx: Database,
	{ id, gatewayRef, originatorId }: { id: string; gatewayRef?: string; originatorId?: string },
): Promise<void> {
	await tx.query(
		`update refunds
		    set gateway_ref = coalesce(gateway_ref, $2),
		        originator_id = coalesce(nullif(originator_id, id::text), $3, originator_id)
		  where tenant_id = $4 and id = $1`,
		[id, gatewayRef ?? null, originatorId ?? null, currentTenant(tx)],
	);
}

/** Stores what the mobile-money gateway charged for a refund. Call it inside the tenant. */
export async function recordRefundFee(
	tx: Database,
	{ id, feeMinor }: { id: string; feeMinor: bigint },
): Promise<void> {
	await tx.query("update refunds set fee_minor = $2 where tenant_id = $3 and id = $1", [
		id,
		feeMinor,
		currentTenant(tx),
	]);
}

/** Stores when the gateway is asked about a refund next; null: not any more. Call it inside the tenant. */
export async function scheduleRefundCheck(
	tx: Database,
	{ id, checks, nextCheckAt }: Pick<Refund, "id" | "checks" | "nextCheckAt">,
): Promise<void> {
	await tx.query("update refunds set checks = $2, next_check_at = $3 where tenant_id = $4 and id = $1", [
		...[id, checks, nextCheckAt],
		currentTenant(tx),
	]);
}

/** Stores who says that a refund failed. Call it inside the tenant. */
export async function proposeFailed(
	tx: Database,
	{ id, by, now }: { id: string; by: string; now: Date },
): Promise<void> {
	await tx.query("update refunds set proposed_by = $2, proposed_at = $3 where tenant_id = $4 and id = $1", [
		id,
		by,
		now,
		currentTenant(tx),
	]);
}

/** Finds the tenant of a refund, as the platform owner. */
export async function findRefundTenant(db: Database, id: string): Promise<string | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>("select tenant_id from refunds where id = $1", [id]),
	);
	return row?.tenant_id;
}

/** Lists refunds of all tenants whose check is overdue, by id. */
export async function listDueRefunds(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from refunds where next_check_at < $1 and ($2::uuid is null or id > $2)
			  order by id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}
