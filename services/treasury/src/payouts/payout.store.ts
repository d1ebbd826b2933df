import { currentTenant, type Database } from "@lango/postgres";
import { toMinor } from "../money/amount.ts";
import { isEnded, type Payout, type PayoutLine, type PayoutStatus, rankOf } from "./payout.ts";

type Row = {
	tenant_id: string;
	id: string;
	batch_id: string | null;
	rail: Payout["rail"];
	kind: Payout["kind"];
	recipient_id: string | null;
	recipient_code: string | null;
	shortcode: string | null;
	to_masked: string;
	instruction: Payout["instruction"];
	recipient_name: string | null;
	gross_minor: string;
	net_minor: string;
	currency: string;
	lines: Array<{ kind: PayoutLine["kind"]; amount_minor: number }>;
	status: PayoutStatus;
	reference: string;
	transfer_code: string | null;
	conversation_id: string | null;
	receipt: string | null;
	failure_code: string | null;
	fee_minor: string | null;
	sends: number;
	submitted_at: Date | null;
	paid_at: Date | null;
	next_check_at: Date | null;
	checks: number;
	needs_review: boolean;
	version: number;
	created_by_kind: string;
	created_by: string;
	fingerprint: Buffer;
	created_at: Date;
	ended_at: Date | null;
};

/** The columns of a payout. `$1` is the tenant. */
const columns = `p.tenant_id, p.id, p.batch_id, p.rail, p.kind, p.recipient_id, p.recipient_code, p.shortcode, p.to_masked, p.gross_minor,
	p.net_minor, p.currency, p.status, p.reference, p.transfer_code, p.conversation_id, p.receipt, p.failure_code, p.fee_minor, p.sends,
	p.submitted_at, p.paid_at, p.next_check_at, p.checks, p.needs_review, p.version, p.created_by_kind, p.created_by, p.fingerprint,
	p.created_at, p.ended_at,
	(select jsonb_build_object('command', t.command, 'account', t.account_ref, 'remarks', t.remarks)
	   from payout_targets t where t.tenant_id = $1 and t.payout_id = p.id) as instruction,
	(select r.name from recipients r where r.tenant_id = $1 and r.id = p.recipient_id) as recipient_name,
	(select coalesce(jsonb_agg(jsonb_build_object('kind', l.kind, 'amount_minor', l.amount_minor) order by l.position), '[]')
	   from payout_lines l where l.tenant_id = $1 and l.payout_id = p.id) as lines`;

const fromRow = (row: Row): Payout => ({
	...{ tenantId: row.tenant_id, id: row.id, batchId: row.batch_id, rail: row.rail, kind: row.kind },
	...{ recipientId: row.recipient_id, recipientCode: row.recipient_code, shortcode: row.shortcode },
	...{ toMasked: row.to_masked, recipientName: row.recipient_name, instruction: row.instruction },
	...{ grossMinor: BigInt(row.gross_minor), netMinor: BigInt(row.net_minor) },
	...{ currency: row.currency, status: row.status, reference: row.reference },
	lines: row.lines.map(({ kind, amount_minor }) => ({ kind, amountMinor: BigInt(amount_minor) })),
	...{ transferCode: row.transfer_code, conversationId: row.conversation_id, receipt: row.receipt },
	...{ failureCode: row.failure_code, feeMinor: row.fee_minor === null ? null : BigInt(row.fee_minor) },
	...{ sends: row.sends, submittedAt: row.submitted_at, paidAt: row.paid_at },
	...{ nextCheckAt: row.next_check_at, checks: row.checks, needsReview: row.needs_review },
	...{ version: row.version, createdBy: { kind: row.created_by_kind, id: row.created_by } },
	...{ fingerprint: row.fingerprint, createdAt: row.created_at, endedAt: row.ended_at },
});

/** What payouts of one request have in common. */
export type PayoutsOf = Pick<Payout, "tenantId" | "batchId" | "createdBy" | "fingerprint" | "createdAt"> & {
	idempotencyKey: string | null;
};

/** A payout as it is asked for. */
export type NewPayout = Pick<
	Payout,
	| "id"
	| "rail"
	| "kind"
	| "recipientId"
	| "recipientCode"
	| "shortcode"
	| "toMasked"
	| "grossMinor"
	| "netMinor"
	| "currency"
	| "lines"
	| "reference"
>;

/** Records payouts that wait for their approval, all of one request. Call it inside the tenant. */
export async function recordPayouts(
	tx: Database,
	{ payouts, ...of }: PayoutsOf & { payouts: readonly NewPayout[] },
): Promise<void> {
	const { tenantId, batchId, createdBy, fingerprint, idempotencyKey, createdAt } = of;
	const rows = payouts.map((one) => ({
		...{ id: one.id, rail: one.rail, kind: one.kind, recipient_id: one.recipientId },
		...{ recipient_code: one.recipientCode, shortcode: one.shortcode, to_masked: one.toMasked },
		...{ gross_minor: toMinor(one.grossMinor), net_minor: toMinor(one.netMinor), currency: one.currency },
		reference: one.reference,
	}));
	await tx.query(
		`insert into payouts (tenant_id, id, batch_id, rail, kind, recipient_id, recipient_code, shortcode, to_masked, gross_minor,
		   net_minor, currency, status, rank, reference, version, created_by_kind, created_by, idempotency_key, fingerprint, created_at)
		 select $1, p.id, $2, p.rail, p.kind, p.recipient_id, p.recipient_code, p.shortcode, p.to_masked, p.gross_minor,
		        p.net_minor, p.currency, 'awaiting_approval', 0, p.reference, 1, $3, $4, $5, $6, $7
		   from jsonb_to_recordset($8) as p (id uuid, rail text, kind text, recipient_id uuid, recipient_code text, shortcode text,
		        to_masked text, gross_minor bigint, net_minor bigint, currency text, reference text)
		 on conflict (tenant_id, id) do nothing`,
		[
			...[tenantId, batchId, createdBy.kind, createdBy.id, idempotencyKey, fingerprint, createdAt],
			JSON.stringify(rows),
		],
	);
	await recordLines(tx, { tenantId, payouts });
	await tx.query(
		`insert into locators (kind, value, tenant_id, object_id)
		 select 'reference', l.value, $1, l.object_id from unnest($2::text[], $3::uuid[]) l (value, object_id)`,
		[tenantId, payouts.map(({ reference }) => reference), payouts.map(({ id }) => id)],
	);
}

type Lined = Pick<Payout, "id" | "lines">;

async function recordLines(
	tx: Database,
	{ tenantId, payouts }: { tenantId: string; payouts: readonly Lined[] },
): Promise<void> {
	const lines = payouts.flatMap(({ id, lines: ofIt }) =>
		ofIt.map(({ kind, amountMinor }, at) => ({ id, position: at + 1, kind, amountMinor })),
	);
	await tx.query(
		`insert into payout_lines (tenant_id, payout_id, position, kind, amount_minor)
		 select $1, l.* from unnest($2::uuid[], $3::smallint[], $4::text[], $5::bigint[]) l on conflict do nothing`,
		[
			...[tenantId, lines.map(({ id }) => id), lines.map(({ position }) => position)],
			...[lines.map(({ kind }) => kind), lines.map(({ amountMinor }) => amountMinor)],
		],
	);
}

/** Replaces the lines of a payout. Call it inside the tenant. */
export async function replaceLines(
	tx: Database,
	{ tenantId, ...payout }: Lined & Pick<Payout, "tenantId">,
): Promise<void> {
	await tx.query("delete from payout_lines where tenant_id = $2 and payout_id = $1", [
		payout.id,
		currentTenant(tx),
	]);
	await recordLines(tx, { tenantId, payouts: [payout] });
}

/** Returns a payout. Call it inside the tenant. */
export async function findPayout(tx: Database, id: string): Promise<Payout | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from payouts p where p.tenant_id = $1 and p.id = $2`, [
		currentTenant(tx),
		id,
	]);
	return row && fromRow(row);
}

/** Returns a payout, locked. Call it inside the tenant, after its payouts were locked. */
export async function lockPayout(tx: Database, id: string): Promise<Payout | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from payouts p where p.tenant_id = $1 and p.id = $2 for update of p`,
		[currentTenant(tx), id],
	);
	return row && fromRow(row);
}

/** Returns payouts, locked, by id. Call it inside the tenant, after its payouts were locked. */
export async function lockPayouts(tx: Database, ids: readonly string[]): Promise<Payout[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payouts p where p.tenant_id = $1 and p.id = any ($2) order by p.id for update of p`,
		[currentTenant(tx), ids],
	);
	return rows.map(fromRow);
}

/**
 * Stores that payouts are approved, and returns them with their next version. They are locked. Call it
 * inside the tenant.
 */
export async function approvePayouts(tx: Database, payouts: readonly Payout[], now: Date): Promise<Payout[]> {
	await tx.query(
		`update payouts set status = 'approved', rank = $2, next_check_at = $3, version = version + 1 where tenant_id = $4 and id = any ($1)`,
		[payouts.map(({ id }) => id), rankOf.approved, now, currentTenant(tx)],
	);
	return payouts.map((payout) => ({
		...{ ...payout, status: "approved", nextCheckAt: now, version: payout.version + 1 },
	}));
}

/** Finds the payout of an Idempotency-Key of a caller. Call it inside the tenant. */
export async function findPayoutByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: Payout["createdBy"]; key: string },
): Promise<Payout | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from payouts p
		  where p.tenant_id = $1 and p.created_by_kind = $2 and p.created_by = $3 and p.idempotency_key = $4`,
		[currentTenant(tx), createdBy.kind, createdBy.id, key],
	);
	return row && fromRow(row);
}

export type PayoutQuery = {
	status: PayoutStatus | undefined;
	batchId: string | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists payouts, the newest first. Call it inside the tenant. */
export async function listPayouts(tx: Database, query: PayoutQuery): Promise<Payout[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payouts p
		  where p.tenant_id = $1 and ($2::text is null or p.status = $2) and ($3::uuid is null or p.batch_id = $3)
		    and ($4::uuid is null or p.id < $4)
		  order by p.id desc limit $5`,
		[currentTenant(tx), query.status ?? null, query.batchId ?? null, query.after ?? null, query.limit],
	);
	return rows.map(fromRow);
}

/** Lists all payouts of a bulk request, in its order. Call it inside the tenant. */
export async function listBatch(tx: Database, batchId: string): Promise<Payout[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from payouts p where p.tenant_id = $1 and p.batch_id = $2 order by p.id`,
		[currentTenant(tx), batchId],
	);
	return rows.map(fromRow);
}

/**
 * Stores what a payout became, and returns it with its next version. It is locked. Call it inside the
 * tenant.
 */
export async function updatePayout(tx: Database, payout: Payout, now: Date): Promise<Payout> {
	const { id, status, failureCode, feeMinor, grossMinor, sends, submittedAt, paidAt, checks } = payout;
	const ended = isEnded(status);
	const [row] = await tx.query<{ version: number; ended_at: Date | null; next_check_at: Date | null }>(
		`update payouts set status = $2, rank = $3, failure_code = $4, fee_minor = $5, gross_minor = $6, sends = $7, submitted_at = $8,
		   paid_at = $9, next_check_at = $10, checks = $11, needs_review = $12, ended_at = $13, version = version + 1
		  where tenant_id = $14 and id = $1 returning version, ended_at, next_check_at`,
		[
			...[id, status, rankOf[status], failureCode, feeMinor, grossMinor, sends, submittedAt, paidAt],
			...[ended ? null : payout.nextCheckAt, checks, payout.needsReview && !ended],
			ended ? (payout.endedAt ?? now) : null,
			currentTenant(tx),
		],
	);
	if (row === undefined) throw new Error(`the payout ${id} does not exist`);
	return { ...payout, version: row.version, endedAt: row.ended_at, nextCheckAt: row.next_check_at };
}

/** Stores the ids that the gateway gave a payout; those that are known stay. Call it inside the tenant. */
export async function namePayout(
	tx: Database,
	{ id, transferCode, conversationId, receipt }: Named,
): Promise<void> {
	if ((transferCode ?? conversationId ?? receipt) === undefined) return;
	await tx.query(
		`update payouts set transfer_code = coalesce(transfer_code, $2), conversation_id = coalesce(conversation_id, $3),
		   receipt = coalesce(receipt, $4)
		  where tenant_id = $5 and id = $1`,
		[id, transferCode ?? null, conversationId ?? null, receipt ?? null, currentTenant(tx)],
	);
}

type Named = {
	id: string;
	transferCode: string | undefined;
	conversationId: string | undefined;
	receipt: string | undefined;
};

/** Stores what the gateway charged for a payout. Call it inside the tenant. */
export async function recordFee(
	tx: Database,
	{ id, feeMinor }: { id: string; feeMinor: bigint },
): Promise<void> {
	await tx.query("update payouts set fee_minor = $2 where tenant_id = $3 and id = $1", [
		id,
		feeMinor,
		currentTenant(tx),
	]);
}

/** Stores when the gateway is asked next, or when it is sent. Call it inside the tenant. */
export async function scheduleNext(
	tx: Database,
	{ id, checks, nextCheckAt }: { id: string; checks: number; nextCheckAt: Date | null },
): Promise<void> {
	await tx.query(
		"update payouts set checks = $2, next_check_at = $3 where tenant_id = $4 and id = $1 and ended_at is null",
		[...[id, checks, nextCheckAt], currentTenant(tx)],
	);
}

/**
 * Records that an unknown transfer is sent once more. Returns false if it was already. Call it inside
 * the tenant.
 */
export async function recordResend(tx: Database, id: string): Promise<boolean> {
	const rows = await tx.query(
		`update payouts set sends = 2
		  where tenant_id = $2 and id = $1 and sends = 1 and status = 'unknown' and rail = 'card_gateway' returning id`,
		[id, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Whether a payout of the tenant is being sent on a rail. Call it inside the tenant. */
export async function isSubmitting(tx: Database, rail: Payout["rail"]): Promise<boolean> {
	const rows = await tx.query(
		"select from payouts where tenant_id = $2 and ended_at is null and status = 'submitting' and rail = $1 limit 1",
		[rail, currentTenant(tx)],
	);
	return rows.length > 0;
}

type OnDay = { at: Date; timeZone: string; currency: string };

/**
 * Returns what a tenant asked for on the day of an instant, in a currency: payouts that failed, were
 * rejected or came back do not count, and neither do those that stay in its own shortcode. Call it inside
 * the tenant.
 */
export async function sumPaidOut(tx: Database, { at, timeZone, currency }: OnDay): Promise<bigint> {
	const [row] = await tx.query<{ sum: string }>(
		`select coalesce(sum(gross_minor), 0)::bigint as sum from payouts
		  where tenant_id = $4 and created_at >= date_trunc('day', $1::timestamptz, $2) and currency = $3 and kind <> 'own_working'
		    and status not in ('failed', 'rejected', 'cancelled', 'reversed')`,
		[at, timeZone, currency, currentTenant(tx)],
	);
	return BigInt(row?.sum ?? 0);
}

/**
 * Returns what was sent for a tenant on the day of an instant, in a currency, on whatever day it was asked
 * for. What `sumPaidOut` leaves out does not count. Call it inside the tenant.
 */
export async function sumSent(tx: Database, { at, timeZone, currency }: OnDay): Promise<bigint> {
	const [row] = await tx.query<{ sum: string }>(
		`select coalesce(sum(gross_minor), 0)::bigint as sum from payouts
		  where tenant_id = $4 and submitted_at >= date_trunc('day', $1::timestamptz, $2) and currency = $3 and kind <> 'own_working'
		    and status not in ('awaiting_approval', 'approved', 'failed', 'rejected', 'cancelled', 'reversed')`,
		[at, timeZone, currency, currentTenant(tx)],
	);
	return BigInt(row?.sum ?? 0);
}
