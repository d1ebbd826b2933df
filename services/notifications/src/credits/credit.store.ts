import type { Database } from "@lango/postgres";

/** The SMS credit of a tenant, in segments. */
export type Credit = {
	balance: number;
	/** The part of the balance that queued messages will use. */
	reserved: number;
	threshold: number;
	isLow: boolean;
};

/** The threshold of a tenant that has not set one, as in the table's default. */
const thresholdDefault = 50;

type Row = {
	balance: string;
	reserved: string;
	threshold: string;
	is_low: boolean;
};

const columns = "balance, reserved, threshold, is_low";

/** Returns the tenant's credit. A new tenant has none. Call it inside the tenant. */
export async function getCredit(tx: Database, tenantId: string): Promise<Credit> {
	const [row] = await tx.query<Row>(`select ${columns} from credit_balances where tenant_id = $1`, [
		tenantId,
	]);
	return row === undefined
		? { balance: 0, reserved: 0, threshold: thresholdDefault, isLow: true }
		: fromRow(row);
}

/** Returns the tenant's credit, locked; creates its row. Call it inside the tenant. */
export async function lockCredit(
	tx: Database,
	{ tenantId, now }: { tenantId: string; now: Date },
): Promise<Credit> {
	await tx.query(
		"insert into credit_balances (tenant_id, updated_at) values ($1, $2) on conflict on constraint credit_balances__pkey do nothing",
		[tenantId, now],
	);
	const [row] = await tx.query<Row>(
		`select ${columns} from credit_balances where tenant_id = $1 for update`,
		[tenantId],
	);
	if (row === undefined) throw new Error("the tenant's credit has no row");
	return fromRow(row);
}

/** A change of a tenant's credit that is not a message. */
export type CreditChange = {
	tenantId: string;
	kind: "top_up" | "grant" | "adjust";
	/** Negative: taken away. */
	segments: number;
	reason?: string;
	operationId?: string;
	paymentId?: string;
	madeBy?: string;
	/** The caller's key of the request: of the same caller it is used once. */
	requestKey?: string;
	now: Date;
};

/** Adds segments to the tenant's locked credit, with its entry. Returns the credit after it. */
export async function recordCreditChange(tx: Database, change: CreditChange): Promise<Credit> {
	const { tenantId, kind, segments, now } = change;
	const [row] = await tx.query<Row>(
		`update credit_balances set balance = balance + $2, is_low = balance + $2 < threshold, updated_at = $3
		  where tenant_id = $1 returning ${columns}`,
		[tenantId, segments, now],
	);
	if (row === undefined) throw new Error("the tenant's credit has no row");
	await tx.query(
		`insert into credit_entries (tenant_id, kind, segments, reason, operation_id, payment_id, made_by, request_key, at,
		   balance, reserved)
		 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)`,
		[
			...[tenantId, kind, segments, change.reason ?? null, change.operationId ?? null],
			...[change.paymentId ?? null, change.madeBy ?? null, change.requestKey ?? null, now],
			...[row.balance, row.reserved],
		],
	);
	return fromRow(row);
}

/** Returns the entry that a caller made under a key; undefined if not found. Call it inside the tenant. */
export async function findRequested(
	tx: Database,
	{ madeBy, requestKey }: { madeBy: string; requestKey: string },
): Promise<{ segments: number; reason: string | null } | undefined> {
	const [row] = await tx.query<{ segments: string; reason: string | null }>(
		"select segments, reason from credit_entries where made_by = $1 and request_key = $2",
		[madeBy, requestKey],
	);
	return row && { segments: Number(row.segments), reason: row.reason };
}

/** Sets the threshold of the tenant's locked credit. Returns the credit after it. */
export async function changeThreshold(
	tx: Database,
	{ tenantId, threshold, now }: { tenantId: string; threshold: number; now: Date },
): Promise<Credit> {
	const [row] = await tx.query<Row>(
		`update credit_balances set threshold = $2, is_low = balance < $2, updated_at = $3
		  where tenant_id = $1 returning ${columns}`,
		[tenantId, threshold, now],
	);
	if (row === undefined) throw new Error("the tenant's credit has no row");
	return fromRow(row);
}

/** An entry of the ledger, with the credit after it. */
export type CreditEntry = {
	id: string;
	kind: string;
	segments: number;
	deliveryId: string | null;
	operationId: string | null;
	reason: string | null;
	madeBy: string | null;
	balance: number;
	reserved: number;
	at: Date;
	/** Microseconds since 1970: the place of the entry in the list. */
	place: string;
};

/** Lists entries, the newest first. Call it inside the tenant. */
export async function listEntries(
	tx: Database,
	{ after, limit }: { after: readonly [string, string] | undefined; limit: number },
): Promise<CreditEntry[]> {
	const rows = await tx.query<{
		id: string;
		kind: string;
		segments: string;
		delivery_id: string | null;
		operation_id: string | null;
		reason: string | null;
		made_by: string | null;
		balance: string;
		reserved: string;
		at: Date;
		place: string;
	}>(
		`select id, kind, segments, delivery_id, operation_id, reason, made_by, balance, reserved, at,
		        (extract(epoch from at) * 1000000)::bigint::text as place
		   from credit_entries
		  where $1::bigint is null or (at, id) < (timestamptz 'epoch' + $1 * interval '1 microsecond', $2::uuid)
		  order by at desc, id desc limit $3`,
		[after?.[0] ?? null, after?.[1] ?? null, limit],
	);
	return rows.map((row) => ({
		id: row.id,
		kind: row.kind,
		segments: Number(row.segments),
		deliveryId: row.delivery_id,
		operationId: row.operation_id,
		reason: row.reason,
		madeBy: row.made_by,
		balance: Number(row.balance),
		reserved: Number(row.reserved),
		at: row.at,
		place: row.place,
	}));
}

/** Returns the tenant's name; empty if it is not known. */
export async function findTenantName(tx: Database, tenantId: string): Promise<string> {
	const [row] = await tx.query<{ name: string }>("select name from tenants where id = $1", [tenantId]);
	return row?.name ?? "";
}

function fromRow(row: Row): Credit {
	return {
		balance: Number(row.balance),
		reserved: Number(row.reserved),
		threshold: Number(row.threshold),
		isLow: row.is_low,
	};
}
