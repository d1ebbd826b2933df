import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import { fromReceiptRow, type ReceiptRow, receiptColumns } from "./receipt.store.ts";
import type { Receipt } from "./receipt.ts";

/** How many receipts of one amount are locked at once: those that are nearest to a payment in time. */
const lockedMax = 100;

type Named = { accountRef: string; amountMinor: bigint; shortcode: string | null; from: Date };

/**
 * Lists receipts of an amount that payers made at a shortcode for an account code from a time on, and that
 * no attempt has, locked, the first first, a hundred at most. Call it inside the tenant.
 */
export async function lockUnboundReceipts(
	tx: Database,
	{ accountRef, amountMinor, shortcode, from }: Named,
): Promise<Receipt[]> {
	const rows = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts
		  where tenant_id = $6 and account_ref = $1 and amount_minor = $2 and attempt_id is null and state = 'verified'
		    and not is_duplicate and shortcode is not distinct from $3 and occurred_at >= $4
		  order by id limit $5 for update`,
		[accountRef, amountMinor, shortcode, from, lockedMax, currentTenant(tx)],
	);
	return rows.map(fromReceiptRow);
}

/** Money that came to a shortcode. */
type CounterMoney = { shortcode: string; amountMinor: bigint };

/** With when it was paid, by the one clock and the other. */
type Paid = CounterMoney & { paid: { from: Date; until: Date } };

/**
 * Lists the receipts of an amount that came to a shortcode within a time without an account, that no
 * attempt has and of which nothing is used, locked, the first first, a hundred at most; at a paybill only
 * those of which the payer is not known either. None is added until the transaction ends. Call it inside
 * the tenant.
 */
export async function lockSuspended(
	tx: Database,
	{ from, until, isTill, ...money }: CounterMoney & { from: Date; until: Date; isTill: boolean },
): Promise<Receipt[]> {
	await lockCounter(tx, money);
	const rows = await tx.query<ReceiptRow>(
		`select ${receiptColumns} from receipts
		  where tenant_id = $7 and shortcode = $1 and amount_minor = $2 and account_ref is null and attempt_id is null and state = 'verified'
		    and allocated_minor = 0 and refunded_minor = 0 and occurred_at between $3 and $4
		    and ($6 or payer_masked is null)
		  order by occurred_at limit $5 for update`,
		[money.shortcode, money.amountMinor, from, until, lockedMax, isTill, currentTenant(tx)],
	);
	return rows.map(fromReceiptRow);
}

/**
 * Lists the receipts of an amount that prompts brought to a shortcode and whose number is not known yet,
 * with these prompts, locked, a hundred at most; with an intent, only its own. With a time, the prompt
 * was sent before it, and found paid after it. Without an intent none is added until the transaction
 * ends. Call it inside the tenant.
 */
export async function lockUnnumbered(
	tx: Database,
	{ shortcode, amountMinor, intentId, paid }: Prompted,
): Promise<Array<{ receipt: Receipt; prompt: { phone: string | null; submittedAt: Date | null } }>> {
	if (intentId === undefined) await lockCounter(tx, { shortcode, amountMinor });
	const rows = await tx.query<ReceiptRow & { phone: string | null; submitted_at: Date | null }>(
		`select ${receiptColumns.replaceAll(/(\w+)/g, "r.$1")}, a.phone, a.submitted_at
		   from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
		  where r.tenant_id = $7 and r.receipt is null and r.shortcode = $1 and r.amount_minor = $2 and ($3::uuid is null or a.intent_id = $3)
		    and ($4::timestamptz is null or r.occurred_at >= $4) and ($5::timestamptz is null or a.submitted_at is null or a.submitted_at <= $5)
		  order by r.occurred_at limit $6 for update of r`,
		[
			shortcode,
			amountMinor,
			intentId ?? null,
			paid?.from ?? null,
			paid?.until ?? null,
			lockedMax,
			currentTenant(tx),
		],
	);
	return rows.map((row) => ({
		receipt: fromReceiptRow(row),
		prompt: { phone: row.phone, submittedAt: row.submitted_at },
	}));
}

/**
 * Finds money that a query found paid, without a number, and whose prompt was erased with its tenant: what
 * was said of the prompt is kept. Call it inside the tenant.
 */
export async function findErased(tx: Database, attemptId: string): Promise<string | undefined> {
	const said = await tx.query<{ id: string }>(
		"select id from evidence where tenant_id = $1 and object_id = $2",
		[currentTenant(tx), attemptId],
	);
	const counted = await tx.query<{ source_id: string }>(
		"select source_id from journals where tenant_id = $1 and source_type = 'receipt' and evidence_id = any ($2)",
		[currentTenant(tx), said.map(({ id }) => id)],
	);
	const [row] = await tx.query<{ id: string }>(
		"select id from receipts where tenant_id = $1 and id = any ($2) and receipt is null and attempt_id is null",
		[currentTenant(tx), counted.map(({ source_id }) => source_id)],
	);
	return row?.id;
}

type Erased = CounterMoney & { accountRef?: string; paidAt: Date | undefined };

/**
 * Finds money as `findErased` finds it, of any tenant; with an account, only that of prompts with this
 * code. A query finds money paid after it was paid, so what was found before `paidAt` is an earlier payment.
 */
export async function findErasedOf(
	db: Database,
	{ shortcode, amountMinor, accountRef, paidAt }: Erased,
): Promise<{ tenantId: string; id: string } | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string; id: string }>(
			`select tenant_id, id from receipts
			  where receipt is null and attempt_id is null and shortcode = $1 and amount_minor = $2
			    and ($3::text is null or account_ref = $3)
			    and ($4::timestamptz is null or occurred_at >= $4)
			  order by id limit 1`,
			[shortcode, amountMinor, accountRef ?? null, paidAt ?? null],
		),
	);
	return row && { tenantId: row.tenant_id, id: row.id };
}

/** Whether a statement of a shortcode has money with this number that is not counted yet. */
export async function isStated(
	tx: Database,
	{ shortcode, amountMinor, receipt }: CounterMoney & { receipt: string },
): Promise<boolean> {
	const rows = await tx.query(
		`select from statement_lines
		  where source = $1 and amount_minor = $2 and reference = $3 and object_id is null limit 1`,
		[shortcode, amountMinor, receipt],
	);
	return rows.length > 0;
}

/** A prompt that was found paid without a number. The intent of a deleted tenant is not known. */
export type Unnumbered = {
	tenantId: string;
	intentId: string | undefined;
	custody: Receipt["custody"];
	phone: string | null;
	submittedAt: Date | null;
	/** When it was found paid. */
	until: Date;
};

type UnnumberedRow = {
	tenant_id: string;
	intent_id: string | null;
	custody: Receipt["custody"];
	phone: string | null;
	submitted_at: Date | null;
	occurred_at: Date;
};

/** What a statement says of a payer: the account code, and the phone in full or its last three digits. */
type Payer = { accountRef: string | null; phone: string | undefined; phoneEnds: string | undefined };

/**
 * Lists the prompts of an amount at a shortcode that were found paid without a number, of any tenant, the
 * first first, a hundred at most: those with the account and the phone, as far as these are known. They were
 * sent before the money was paid, and found paid after it.
 */
export async function listUnnumbered(
	db: Database,
	{ shortcode, amountMinor, accountRef, phone, phoneEnds, paid }: Paid & Payer,
): Promise<Unnumbered[]> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<UnnumberedRow>(
			`select r.tenant_id, a.intent_id, r.custody, a.phone, a.submitted_at, r.occurred_at
			   from receipts r left join attempts a on a.tenant_id = r.tenant_id and a.id = r.attempt_id
			  where r.receipt is null and r.shortcode = $1 and r.amount_minor = $2 and ($5::text is null or r.account_ref = $5)
			    and r.occurred_at >= $3 and (a.submitted_at is null or a.submitted_at <= $4)
			    and (a.phone is null or (($6::text is null or a.phone = $6) and ($7::text is null or right(a.phone, 3) = $7)))
			  order by r.occurred_at, r.id limit $8`,
			[
				...[shortcode, amountMinor, paid.from, paid.until, accountRef],
				...[phone ?? null, phoneEnds ?? null, lockedMax],
			],
		),
	);
	return rows.map((row) => ({
		...{ tenantId: row.tenant_id, intentId: row.intent_id ?? undefined, custody: row.custody },
		...{ phone: row.phone, submittedAt: row.submitted_at, until: row.occurred_at },
	}));
}

/** Whether a prompt of an amount at a shortcode, of any tenant, was sent before a time and is live. */
export async function isPromptLive(db: Database, { shortcode, amountMinor, paid }: Paid): Promise<boolean> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query(
			`select from attempts
			  where shortcode = $1 and amount_minor = $2 and status in ('new', 'submitting', 'awaiting', 'unknown')
			    and (submitted_at is null or submitted_at <= $3) limit 1`,
			[shortcode, amountMinor, paid.until],
		),
	);
	return rows.length > 0;
}

/**
 * Whether a prompt of an amount at a shortcode, of any tenant, is live, or was found paid without a number:
 * money of this amount may be its money.
 */
export async function isPrompted(db: Database, { shortcode, amountMinor }: CounterMoney): Promise<boolean> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query(
			`select 1 from attempts
			  where shortcode = $1 and amount_minor = $2 and status in ('new', 'submitting', 'awaiting', 'unknown')
			 union all
			 select 1 from receipts where shortcode = $1 and amount_minor = $2 and receipt is null
			 limit 1`,
			[shortcode, amountMinor],
		),
	);
	return rows.length > 0;
}

/**
 * Locks the counters of the receipts of which a guess may be wrong once a number is said of an attempt: its
 * own that has another number, and another one's that has this number. Call it inside the tenant.
 */
export async function lockGuesses(
	tx: Database,
	{ attemptId, receipt }: { attemptId: string; receipt: string },
): Promise<void> {
	const guessed = await tx.query<{ shortcode: string; amount_minor: string }>(
		`select shortcode, amount_minor from receipts where tenant_id = $3 and attempt_id = $1 and receipt <> $2
		 union
		 select shortcode, amount_minor from receipts
		  where tenant_id = $3 and gateway = 'mobile_money' and kind = 'collection' and receipt = $2 and attempt_id <> $1
		  order by 1, 2`,
		[attemptId, receipt, currentTenant(tx)],
	);
	for (const { shortcode, amount_minor } of guessed)
		await lockCounter(tx, { shortcode, amountMinor: BigInt(amount_minor) });
}

type Prompted = CounterMoney & { intentId: string | undefined; paid: Paid["paid"] | undefined };

/**
 * A confirmation of a till and the query of its prompt are counted one after the other. Take it after
 * intents and attempts, and before a receipt is locked or a number is given.
 */
export async function lockCounter(tx: Database, { shortcode, amountMinor }: CounterMoney): Promise<void> {
	await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
		`counter ${shortcode} ${amountMinor}`,
	]);
}
