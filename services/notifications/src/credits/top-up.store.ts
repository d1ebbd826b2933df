import type { Database } from "@lango/postgres";

/** A purchase of SMS credit. It is booked when its payment succeeded, also after it failed or expired. */
export type TopUp = {
	/** The operation of its payment. */
	id: string;
	pack: string;
	segments: number;
	amountMinor: number;
	currency: string;
	status: "open" | "paid" | "failed" | "expired";
	reason: string | null;
	paymentId: string | null;
	requestedAt: Date;
	expiresAt: Date;
	endedAt: Date | null;
};

type Row = {
	id: string;
	pack: string;
	segments: string;
	amount_minor: string;
	currency: string;
	status: TopUp["status"];
	reason: string | null;
	payment_id: string | null;
	requested_at: Date;
	expires_at: Date;
	ended_at: Date | null;
};

const columns =
	"id, pack, segments, amount_minor, currency, status, reason, payment_id, requested_at, expires_at, ended_at";

const fromRow = (row: Row): TopUp => ({
	id: row.id,
	pack: row.pack,
	segments: Number(row.segments),
	amountMinor: Number(row.amount_minor),
	currency: row.currency,
	status: row.status,
	reason: row.reason,
	paymentId: row.payment_id,
	requestedAt: row.requested_at,
	expiresAt: row.expires_at,
	endedAt: row.ended_at,
});

export type NewTopUp = Pick<TopUp, "pack" | "segments" | "amountMinor" | "currency" | "expiresAt"> & {
	tenantId: string;
	requestedBy: string;
};

/**
 * Records a purchase, and ends an earlier one whose time is over. Returns undefined if another one is open.
 * Call it inside the tenant.
 */
export async function recordTopUp(tx: Database, topUp: NewTopUp, now: Date): Promise<TopUp | undefined> {
	await tx.query(
		"update credit_top_ups set status = 'expired', ended_at = $2 where tenant_id = $1 and status = 'open' and expires_at <= $2",
		[topUp.tenantId, now],
	);
	const [row] = await tx.query<Row>(
		`insert into credit_top_ups (tenant_id, pack, segments, amount_minor, currency, status, requested_by, requested_at, expires_at)
		 values ($1, $2, $3, $4, $5, 'open', $6, $7, $8)
		 on conflict (tenant_id) where status = 'open' do nothing returning ${columns}`,
		[
			...[topUp.tenantId, topUp.pack, topUp.segments, topUp.amountMinor, topUp.currency],
			...[topUp.requestedBy, now, topUp.expiresAt],
		],
	);
	return row && fromRow(row);
}

/** Returns a purchase, locked; undefined if not found. Call it inside the tenant. */
export async function lockTopUp(
	tx: Database,
	{ tenantId, id }: { tenantId: string; id: string },
): Promise<TopUp | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from credit_top_ups where tenant_id = $1 and id = $2 for update`,
		[tenantId, id],
	);
	return row && fromRow(row);
}

/** Ends a purchase. Call it inside the tenant. */
export async function endTopUp(
	tx: Database,
	ending: Pick<TopUp, "id" | "status"> & { tenantId: string; paymentId?: string; reason?: string },
	now: Date,
): Promise<void> {
	const { tenantId, id, status, paymentId, reason } = ending;
	await tx.query(
		`update credit_top_ups set status = $3, payment_id = $4, reason = $5, ended_at = $6
		  where tenant_id = $1 and id = $2`,
		[tenantId, id, status, paymentId ?? null, reason ?? null, now],
	);
}

/**
 * Lists purchases, the newest first. An open one whose time is over is shown as expired. Call it inside the
 * tenant.
 */
export async function listTopUps(
	tx: Database,
	{ after, limit, now }: { after: string | undefined; limit: number; now: Date },
): Promise<TopUp[]> {
	const rows = await tx.query<Row>(
		`select id, pack, segments, amount_minor, currency, reason, payment_id, requested_at, expires_at, ended_at,
		        case when status = 'open' and expires_at <= $3 then 'expired' else status end as status
		   from credit_top_ups
		  where $1::uuid is null or (requested_at, id) < (select a.requested_at, a.id from credit_top_ups a where a.id = $1)
		  order by requested_at desc, id desc limit $2`,
		[after ?? null, limit, now],
	);
	return rows.map(fromRow);
}
