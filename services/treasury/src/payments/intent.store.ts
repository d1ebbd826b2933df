import { acrossTenants, currentTenant, type Database } from "@lango/postgres";
import type { Sealed } from "@lango/tokens";
import type { Customer, Intent, IntentStatus, Payee } from "./intent.ts";

type Row = {
	tenant_id: string;
	id: string;
	payee: Payee;
	source_service: string;
	operation_id: string;
	operation_kind: string | null;
	order_id: string | null;
	description: string;
	amount_minor: string;
	currency: string;
	received_minor: string;
	refunded_minor: string;
	status: IntentStatus;
	asked_attempt: number;
	asked_at: Date;
	failed_attempt: number;
	account_code: string;
	channels: string[];
	customer_user_id: string | null;
	customer: Customer;
	return_url: string | null;
	metadata: Record<string, unknown>;
	expires_at: Date;
	ended_at: Date | null;
	version: number;
	created_at: Date;
	fingerprint: Buffer;
	pay_code_key_id: string;
	pay_code_sealed: Buffer;
};

const columns = `tenant_id, id, payee, source_service, operation_id, operation_kind, order_id, description, amount_minor,
	currency, received_minor, refunded_minor, status, asked_attempt, asked_at, failed_attempt, account_code, channels, customer_user_id,
	customer, return_url, metadata, expires_at, ended_at, version, created_at, fingerprint,
	pay_code_key_id, pay_code_sealed`;

const fromRow = (row: Row): StoredIntent => ({
	tenantId: row.tenant_id,
	id: row.id,
	payee: row.payee,
	sourceService: row.source_service,
	operationId: row.operation_id,
	operationKind: row.operation_kind,
	orderId: row.order_id,
	description: row.description,
	amountMinor: BigInt(row.amount_minor),
	currency: row.currency,
	receivedMinor: BigInt(row.received_minor),
	refundedMinor: BigInt(row.refunded_minor),
	status: row.status,
	askedAttempt: row.asked_attempt,
	askedAt: row.asked_at,
	failedAttempt: row.failed_attempt,
	accountCode: row.account_code,
	channels: row.channels,
	customerUserId: row.customer_user_id,
	customer: row.customer,
	returnUrl: row.return_url,
	metadata: row.metadata,
	expiresAt: row.expires_at,
	endedAt: row.ended_at,
	version: row.version,
	createdAt: row.created_at,
	fingerprint: row.fingerprint,
	payCode: { keyId: row.pay_code_key_id, sealed: row.pay_code_sealed },
});

/** An intent with the hash of its request: the same key or operation with another hash is refused. */
export type StoredIntent = Intent & { fingerprint: Buffer; payCode: Sealed };

export type NewIntent = Omit<
	StoredIntent,
	"receivedMinor" | "refundedMinor" | "status" | "endedAt" | "version" | "failedAttempt"
> & {
	payCodeHash: Buffer;
	createdBy: { kind: string; id: string };
	idempotencyKey: string | undefined;
};

/**
 * Records an intent. Returns undefined if there is one of its operation or Idempotency-Key. Call it
 * inside the tenant.
 */
export async function recordIntent(tx: Database, intent: NewIntent): Promise<StoredIntent | undefined> {
	const [row] = await tx.query<Row>(
		`insert into intents (tenant_id, id, payee, source_service, operation_id, operation_kind, order_id, description,
		   amount_minor, currency, status, asked_attempt, asked_at, account_code, pay_code_hash, pay_code_sealed, pay_code_key_id,
		   channels, customer_user_id, customer, return_url, metadata, expires_at, version, created_by_kind, created_by,
		   fingerprint, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, 'requires_payment', $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21,
		   $22, 1, $23, $24, $25, $26)
		 on conflict do nothing returning ${columns}`,
		[
			...[intent.tenantId, intent.id, intent.payee, intent.sourceService, intent.operationId],
			...[intent.operationKind, intent.orderId, intent.description, intent.amountMinor, intent.currency],
			...[intent.askedAttempt, intent.askedAt, intent.accountCode],
			...[intent.payCodeHash, intent.payCode.sealed, intent.payCode.keyId, intent.channels],
			...[intent.customerUserId, JSON.stringify(intent.customer), intent.returnUrl],
			...[JSON.stringify(intent.metadata), intent.expiresAt, intent.createdBy.kind, intent.createdBy.id],
			...[intent.fingerprint, intent.createdAt],
		],
	);
	if (row === undefined) return undefined;
	if (!(await nameIntent(tx, intent))) {
		await tx.query("delete from intents where tenant_id = $2 and id = $1", [intent.id, currentTenant(tx)]);
		return undefined;
	}
	await tx.query(
		`insert into locators (kind, value, tenant_id, object_id)
		 values ('account_code', $1, $3, $4), ('pay_code', $2, $3, $4)`,
		[intent.accountCode, intent.payCodeHash.toString("hex"), intent.tenantId, intent.id],
	);
	return fromRow(row);
}

/** Returns the intent of an operation, locked. Call it inside the tenant. */
export async function lockOperation(
	tx: Database,
	{ sourceService, operationId }: { sourceService: string; operationId: string },
): Promise<StoredIntent | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from intents where tenant_id = $3 and source_service = $1 and operation_id = $2 for no key update`,
		[sourceService, operationId, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/**
 * Stores that an Idempotency-Key of a caller names an intent. Returns false if it names one already. Call
 * it inside the tenant.
 */
export async function nameIntent(
	tx: Database,
	{ tenantId, id, createdBy, idempotencyKey }: IntentName,
): Promise<boolean> {
	if (idempotencyKey === undefined) return true;
	const rows = await tx.query(
		`insert into intent_keys (tenant_id, created_by_kind, created_by, idempotency_key, intent_id)
		 values ($1, $2, $3, $4, $5) on conflict do nothing returning intent_id`,
		[tenantId, createdBy.kind, createdBy.id, idempotencyKey, id],
	);
	return rows.length > 0;
}

type IntentName = Pick<NewIntent, "tenantId" | "id" | "createdBy" | "idempotencyKey">;

/** Returns the intent that an Idempotency-Key of a caller names. Call it inside the tenant. */
export async function findIntentByKey(
	tx: Database,
	{ createdBy, key }: { createdBy: NewIntent["createdBy"]; key: string },
): Promise<StoredIntent | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from intents where tenant_id = $4 and id = (
		   select intent_id from intent_keys
		    where tenant_id = $4 and created_by_kind = $1 and created_by = $2 and idempotency_key = $3)`,
		[createdBy.kind, createdBy.id, key, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns an intent, locked. Call it inside the tenant. */
export async function lockIntent(tx: Database, id: string): Promise<StoredIntent | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from intents where tenant_id = $2 and id = $1 for no key update`,
		[id, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Returns an intent. Call it inside the tenant. */
export async function findIntent(tx: Database, id: string): Promise<StoredIntent | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from intents where tenant_id = $2 and id = $1`, [
		id,
		currentTenant(tx),
	]);
	return row && fromRow(row);
}

/** Finds the tenant of an intent, for the platform owner. */
export async function findTenantOfIntent(db: Database, id: string): Promise<string | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>("select tenant_id from intents where id = $1", [id]),
	);
	return row?.tenant_id;
}

/**
 * Lists the open intents that the tenant owes the platform, the first asked first, locked. Call it inside
 * the tenant.
 */
export async function lockOpenBills(tx: Database): Promise<StoredIntent[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from intents where tenant_id = $1 and payee = 'platform' and ended_at is null order by asked_at, id for no key update`,
		[currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Lists the open bills of the tenant in a currency that are of these kinds, and the preferred one of any
 * kind, the first asked first, locked. Call it inside the tenant.
 */
export async function lockPayableBills(
	tx: Database,
	{ currency, kinds, preferredId }: PayableBills,
): Promise<StoredIntent[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from intents
		  where tenant_id = $4 and payee = 'platform' and ended_at is null and currency = $1
		    and (id = $2 or operation_kind = any ($3))
		  order by asked_at, id for no key update`,
		[currency, preferredId ?? null, kinds, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

type PayableBills = { currency: string; kinds: readonly string[]; preferredId: string | undefined };

/**
 * Whether no open bill of the tenant in its currency was asked for before this one. Call it inside the
 * tenant.
 */
export async function isFirstBill(
	tx: Database,
	{ id, askedAt, currency }: Pick<Intent, "id" | "askedAt" | "currency">,
): Promise<boolean> {
	const earlier = await tx.query(
		`select from intents
		  where tenant_id = $4 and payee = 'platform' and ended_at is null and currency = $1 and (asked_at, id) < ($2, $3) limit 1`,
		[currency, askedAt, id, currentTenant(tx)],
	);
	return earlier.length === 0;
}

/** What a page of intents contains. */
export type IntentQuery = {
	payee: Payee;
	status?: IntentStatus | undefined;
	operationId?: string | undefined;
	orderId?: string | undefined;
	customerUserId?: string | undefined;
	from?: Date | undefined;
	to?: Date | undefined;
	currency?: string | undefined;
	/** Only those of which something is to be paid, also expired and cancelled ones. */
	isDue?: boolean | undefined;
	/**
	 * A part of the account code, the order or the description; or an amount, as the whole or what is
	 * due.
	 */
	search?: { text: string; amountMinor: bigint | undefined } | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists intents, the newest first. Call it inside the tenant. */
export async function listIntents(tx: Database, query: IntentQuery): Promise<StoredIntent[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from intents
		  where tenant_id = $14 and payee = $1 and ($2::text is null or status = $2) and ($3::uuid is null or operation_id = $3)
		    and ($4::text is null or order_id = $4) and ($5::uuid is null or customer_user_id = $5)
		    and ($6::timestamptz is null or created_at >= $6) and ($7::timestamptz is null or created_at < $7)
		    and ($8::uuid is null or id < $8)
		    and ($10::text is null or currency = $10) and (not $11::boolean or received_minor < amount_minor)
		    and ($12::text is null or $13::bigint in (amount_minor, amount_minor - received_minor)
		         or strpos(lower(concat_ws(' ', account_code, order_id, description)), lower($12)) > 0)
		  order by id desc limit $9`,
		[
			...[query.payee, query.status ?? null, query.operationId ?? null, query.orderId ?? null],
			...[query.customerUserId ?? null, query.from ?? null, query.to ?? null],
			...[query.after ?? null, query.limit, query.currency ?? null, query.isDue ?? false],
			...[query.search?.text ?? null, query.search?.amountMinor ?? null, currentTenant(tx)],
		],
	);
	return rows.map(fromRow);
}

/** Changes an intent that the transaction has locked, and raises its version. Call it inside the tenant. */
export async function updateIntent(
	tx: Database,
	{ id, status, receivedMinor, refundedMinor, askedAttempt, askedAt, expiresAt }: Intent,
	now: Date,
): Promise<StoredIntent> {
	const [row] = await tx.query<Row>(
		`update intents set status = $2, received_minor = $3, asked_attempt = $4, asked_at = $5, expires_at = $6, refunded_minor = $8,
		   ended_at = case when $2 in ('succeeded', 'expired', 'cancelled') then coalesce(ended_at, $7) end,
		   version = version + 1
		  where tenant_id = $9 and id = $1 returning ${columns}`,
		[id, status, receivedMinor, askedAttempt, askedAt, expiresAt, now, refundedMinor, currentTenant(tx)],
	);
	if (row === undefined) throw new Error(`the intent ${id} is missing`);
	return fromRow(row);
}

/** Stores that the asking of an intent was answered as failed. Call it inside the tenant. */
export async function recordFailedAttempt(
	tx: Database,
	{ id, askedAttempt }: Pick<Intent, "id" | "askedAttempt">,
): Promise<void> {
	await tx.query("update intents set failed_attempt = $2 where tenant_id = $3 and id = $1", [
		id,
		askedAttempt,
		currentTenant(tx),
	]);
}

/**
 * Stores that the present asking of an intent is published as required. Returns false if it was before.
 * Call it inside the tenant.
 */
export async function takeRequired(tx: Database, id: string): Promise<boolean> {
	const rows = await tx.query(
		`update intents set required_attempt = asked_attempt where tenant_id = $2 and id = $1 and required_attempt < asked_attempt
		 returning id`,
		[id, currentTenant(tx)],
	);
	return rows.length > 0;
}

/**
 * Takes the right to ask the gateway about an intent. Returns false if somebody took it after `since`. Call
 * it inside the tenant.
 */
export async function takeRefresh(
	tx: Database,
	{ id, since, now }: { id: string; since: Date; now: Date },
): Promise<boolean> {
	const rows = await tx.query(
		"update intents set refreshed_at = $3 where tenant_id = $4 and id = $1 and (refreshed_at is null or refreshed_at <= $2) returning id",
		[id, since, now, currentTenant(tx)],
	);
	return rows.length > 0;
}
