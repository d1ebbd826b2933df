import { acrossTenants, currentTenant, type Database, ofTenant } from "@lango/postgres";
import { type Dispute, type DisputeEnd, type DisputeStatus, disputeRanks, undatedMs } from "./dispute.ts";

type Row = {
	tenant_id: string;
	id: string;
	gateway_id: string;
	receipt_id: string;
	payment_id: string | null;
	amount_minor: string;
	currency: string;
	status: DisputeStatus;
	resolution: string | null;
	category: string | null;
	due_at: Date | null;
	note: string | null;
	proposed_as: DisputeEnd | null;
	proposed_by: string | null;
	proposed_at: Date | null;
	version: number;
	created_at: Date;
	ended_at: Date | null;
};

const columns = `tenant_id, id, gateway_id, receipt_id, payment_id, amount_minor, currency, status, resolution, category, due_at, note,
	proposed_as, proposed_by, proposed_at, version, created_at, ended_at`;

const fromRow = (row: Row): Dispute => ({
	...{ tenantId: row.tenant_id, id: row.id, gatewayId: row.gateway_id, receiptId: row.receipt_id },
	...{ paymentId: row.payment_id, amountMinor: BigInt(row.amount_minor), currency: row.currency },
	...{ status: row.status, resolution: row.resolution, category: row.category, dueAt: row.due_at },
	...{ proposedAs: row.proposed_as, proposedBy: row.proposed_by, proposedAt: row.proposed_at },
	...{ note: row.note, version: row.version, createdAt: row.created_at, endedAt: row.ended_at },
});

type Later =
	| "status"
	| "resolution"
	| "note"
	| "proposedAs"
	| "proposedBy"
	| "proposedAt"
	| "version"
	| "endedAt";
export type NewDispute = Omit<Dispute, Later>;

/** Records a dispute as open. Call it inside the tenant, with its receipt locked. */
export async function recordDispute(tx: Database, dispute: NewDispute): Promise<Dispute> {
	const [row] = await tx.query<Row>(
		`insert into disputes (tenant_id, id, gateway_id, receipt_id, payment_id, amount_minor, currency, status, rank, category, due_at,
		   version, created_at)
		 values ($1, $2, $3, $4, $5, $6, $7, 'open', 0, $8, $9, 1, $10) returning ${columns}`,
		[
			...[dispute.tenantId, dispute.id, dispute.gatewayId, dispute.receiptId, dispute.paymentId],
			...[dispute.amountMinor, dispute.currency, dispute.category, dispute.dueAt, dispute.createdAt],
		],
	);
	if (row === undefined) throw new Error("the dispute was not recorded");
	return fromRow(row);
}

/** Returns a dispute. Call it inside the tenant. */
export async function findDispute(tx: Database, id: string): Promise<Dispute | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from disputes where tenant_id = $2 and id = $1`, [
		id,
		currentTenant(tx),
	]);
	return row && fromRow(row);
}

/** Returns the tenant of a dispute. */
export async function findDisputeTenant(db: Database, id: string): Promise<string | undefined> {
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ tenant_id: string }>("select tenant_id from disputes where id = $1", [id]),
	);
	return row?.tenant_id;
}

/** Returns a dispute by the gateway's id, locked. Call it inside the tenant, with its receipt locked. */
export async function lockDisputeOf(tx: Database, gatewayId: string): Promise<Dispute | undefined> {
	const [row] = await tx.query<Row>(
		`select ${columns} from disputes where tenant_id = $2 and gateway_id = $1 for update`,
		[gatewayId, currentTenant(tx)],
	);
	return row && fromRow(row);
}

/** Whether a receipt is disputed now. Call it inside the tenant. */
export async function isDisputed(tx: Database, receiptId: string): Promise<boolean> {
	const rows = await tx.query(
		"select from disputes where tenant_id = $2 and receipt_id = $1 and status in ('open', 'reminded') limit 1",
		[receiptId, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** What a page of disputes contains. */
export type DisputeQuery = {
	/** Undefined: of all tenants. */
	tenantId: string | undefined;
	status?: DisputeStatus | undefined;
	after: string | undefined;
	limit: number;
};

/** Lists disputes of a tenant, or across tenants, the newest first. */
export async function listDisputes(tx: Database, query: DisputeQuery): Promise<Dispute[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from disputes
		  where ${ofTenant(query.tenantId, "tenant_id", "$4")} and ($1::text is null or status = $1)
		    and ($2::uuid is null or id < $2)
		  order by id desc limit $3`,
		[query.status ?? null, query.after ?? null, query.limit, query.tenantId ?? null],
	);
	return rows.map(fromRow);
}

/** Lists disputes of all tenants that are not decided, or were by operators since a time, by id. */
export async function listUncertainDisputes(
	db: Database,
	{ after, limit, since }: { after: string | undefined; limit: number; since: Date },
): Promise<Array<Pick<Dispute, "id" | "gatewayId">>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; gateway_id: string }>(
			`select id, gateway_id from disputes
			  where (ended_at is null or (resolution is null and ended_at > $3)) and ($1::uuid is null or id > $1)
			  order by id limit $2`,
			[after ?? null, limit, since],
		),
	);
	return rows.map(({ id, gateway_id }) => ({ id, gatewayId: gateway_id }));
}

/** Lists disputes of all tenants that are overdue (`isOverdue`), by id. */
export async function listOverdueDisputes(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from disputes
			  where status in ('open', 'reminded') and coalesce(due_at, created_at + $4 * interval '1 ms') < $1 and ($2::uuid is null or id > $2)
			  order by id limit $3`,
			[before, after ?? null, limit, undatedMs],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

type DisputeChange = { status: DisputeStatus; resolution: string | null; dueAt: Date | null; now: Date };

/** Changes a dispute that is locked, and raises its version. Call it inside the tenant. */
export async function updateDispute(
	tx: Database,
	id: string,
	{ status, resolution, dueAt, now }: DisputeChange,
): Promise<Dispute> {
	const isOver = disputeRanks[status] >= disputeRanks.won;
	const [row] = await tx.query<Row>(
		`update disputes set status = $2, rank = $3, resolution = $4, due_at = coalesce($5, due_at),
		   ended_at = case when $6 then $7::timestamptz end, version = version + 1
		  where tenant_id = $8 and id = $1 returning ${columns}`,
		[id, status, disputeRanks[status], resolution, dueAt, isOver, now, currentTenant(tx)],
	);
	if (row === undefined) throw new Error(`the dispute ${id} is missing`);
	return fromRow(row);
}

/** Notes what an operator says became of a dispute. Call it inside the tenant, with the dispute locked. */
export async function proposeEnd(
	tx: Database,
	id: string,
	{ as, by, now }: { as: DisputeEnd; by: string; now: Date },
): Promise<void> {
	await tx.query(
		"update disputes set proposed_as = $2, proposed_by = $3, proposed_at = $4 where tenant_id = $5 and id = $1",
		[...[id, as, by, now], currentTenant(tx)],
	);
}

/**
 * Stores what the tenant says about a dispute. Returns undefined if it does not exist. Call it inside the
 * tenant.
 */
export async function noteDispute(tx: Database, id: string, note: string): Promise<Dispute | undefined> {
	const [row] = await tx.query<Row>(
		`update disputes set note = $2 where tenant_id = $3 and id = $1 returning ${columns}`,
		[...[id, note], currentTenant(tx)],
	);
	return row && fromRow(row);
}
