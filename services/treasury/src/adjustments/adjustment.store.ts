import type { Database } from "@lango/postgres";
import type { Adjustment, AdjustmentLine, AdjustmentPurpose } from "./adjustment.ts";

type Row = {
	id: string;
	for_tenant_id: string | null;
	purpose: AdjustmentPurpose;
	currency: string;
	lines: Array<Omit<AdjustmentLine, "amountMinor"> & { amount_minor: number }>;
	because: string;
	state: Adjustment["state"];
	exception_id: string | null;
	created_by: string;
	created_at: Date;
	approved_by: string | null;
	approved_at: Date | null;
};

const columns = `id, for_tenant_id, purpose, currency, lines, because, state, exception_id, created_by, created_at, approved_by,
	approved_at`;

const fromRow = (row: Row): Adjustment => ({
	...{ id: row.id, tenantId: row.for_tenant_id ?? undefined, purpose: row.purpose, currency: row.currency },
	lines: row.lines.map(({ amount_minor, ...line }) => ({ ...line, amountMinor: BigInt(amount_minor) })),
	...{ because: row.because, state: row.state, exceptionId: row.exception_id ?? undefined },
	...{ createdBy: row.created_by, createdAt: row.created_at },
	...{ approvedBy: row.approved_by ?? undefined, approvedAt: row.approved_at ?? undefined },
});

type NewAdjustment = Omit<Adjustment, "state" | "approvedBy" | "approvedAt">;

/** Records an adjustment that waits for its approval. */
export async function recordAdjustment(tx: Database, adjustment: NewAdjustment): Promise<void> {
	const lines = adjustment.lines.map(({ amountMinor, ...line }) => ({
		...line,
		amount_minor: Number(amountMinor),
	}));
	await tx.query(
		`insert into adjustments (id, for_tenant_id, purpose, currency, lines, because, state, exception_id, created_by, created_at)
		 values ($1, $2, $3, $4, $5, $6, 'waiting', $7, $8, $9)`,
		[
			...[adjustment.id, adjustment.tenantId ?? null, adjustment.purpose, adjustment.currency],
			...[JSON.stringify(lines), adjustment.because, adjustment.exceptionId ?? null],
			...[adjustment.createdBy, adjustment.createdAt],
		],
	);
}

/** Returns an adjustment. */
export async function findAdjustment(db: Database, id: string): Promise<Adjustment | undefined> {
	const [row] = await db.query<Row>(`select ${columns} from adjustments where id = $1`, [id]);
	return row && fromRow(row);
}

/** Returns an adjustment, locked. */
export async function lockAdjustment(tx: Database, id: string): Promise<Adjustment | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from adjustments where id = $1 for update`, [id]);
	return row && fromRow(row);
}

/**
 * Adjustments of one account of the platform are posted one after the other. Take it after the adjustment was
 * locked.
 */
export async function lockAdjusted(
	tx: Database,
	{ lines, currency }: Pick<Adjustment, "lines" | "currency">,
): Promise<void> {
	const codes = new Set(lines.filter(({ owner }) => owner === "platform").map(({ code }) => code));
	for (const code of [...codes].toSorted())
		await tx.query("select pg_advisory_xact_lock(hashtextextended($1, 0))", [
			`adjusting ${code} ${currency}`,
		]);
}

type AdjustmentQuery = {
	state: string | undefined;
	exceptionId: string | undefined;
	before: string | undefined;
	limit: number;
};

/** Lists adjustments, the newest first. */
export async function listAdjustments(
	db: Database,
	{ state, exceptionId, before, limit }: AdjustmentQuery,
): Promise<Adjustment[]> {
	const rows = await db.query<Row>(
		`select ${columns} from adjustments
		  where ($1::text is null or state = $1) and ($2::uuid is null or exception_id = $2) and ($3::uuid is null or id < $3)
		  order by id desc limit $4`,
		[state ?? null, exceptionId ?? null, before ?? null, limit],
	);
	return rows.map(fromRow);
}

/** Notes that an adjustment was posted. */
export async function markPosted(
	tx: Database,
	{ id, by, at }: { id: string; by: string; at: Date },
): Promise<void> {
	await tx.query(
		"update adjustments set state = 'posted', approved_by = $2, approved_at = $3 where id = $1",
		[id, by, at],
	);
}

/** Whether an adjustment that resolves an exception waits. Call it with the exception locked. */
export async function isAdjustmentWaiting(tx: Database, exceptionId: string): Promise<boolean> {
	const rows = await tx.query("select from adjustments where exception_id = $1 and state = 'waiting'", [
		exceptionId,
	]);
	return rows.length > 0;
}

/** Notes that an adjustment that waits is not posted. */
export async function markRejected(tx: Database, id: string): Promise<void> {
	await tx.query("update adjustments set state = 'rejected' where id = $1 and state = 'waiting'", [id]);
}

/** Whether there may be an account of a code, of a tenant or of the platform. */
export async function isAccount(
	db: Database,
	{ code, owner }: Pick<AdjustmentLine, "code" | "owner">,
): Promise<boolean> {
	const [row] = await db.query(
		`select from ledger_chart() c
		  where $1 like replace(replace(c.code, '_', '\\_'), '*', '_%') and c.owner in ($2, 'either') limit 1`,
		[code, owner],
	);
	return row !== undefined;
}
