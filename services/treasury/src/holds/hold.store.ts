import { currentTenant, type Database } from "@lango/postgres";
import type { HoldOwner, Part, PartState, StoredPart } from "./hold.ts";

type Row = {
	object_kind: HoldOwner["objectKind"];
	object_id: string;
	position: number;
	payment_id: string | null;
	source: Part["source"];
	amount_minor: string;
	pending_minor: string;
	state: PartState;
};

const columns = "object_kind, object_id, position, payment_id, source, amount_minor, pending_minor, state";

const fromRow = (row: Row): StoredPart => ({
	...{ objectKind: row.object_kind, objectId: row.object_id, position: row.position },
	...{ paymentId: row.payment_id, source: row.source, amountMinor: BigInt(row.amount_minor) },
	...{ pendingMinor: BigInt(row.pending_minor), state: row.state },
});

type NewParts = HoldOwner & { tenantId: string; receiptId: string; parts: readonly Part[] };

/**
 * Records the parts of a refund or a dispute as held; those that it had before are replaced. Call it inside
 * the tenant, with the receipt locked.
 */
export async function recordParts(tx: Database, { tenantId, receiptId, parts, ...owner }: NewParts) {
	await tx.query("delete from receipt_holds where tenant_id = $2 and object_id = $1", [
		owner.objectId,
		currentTenant(tx),
	]);
	for (const [position, part] of parts.entries())
		await tx.query(
			`insert into receipt_holds (tenant_id, object_kind, object_id, position, receipt_id, payment_id, source, amount_minor,
			   pending_minor, state)
			 values ($1, $2, $3, $4, $5, $6, $7, $8, $9, 'held')`,
			[
				...[tenantId, owner.objectKind, owner.objectId, position, receiptId],
				...[part.paymentId, part.source, part.amountMinor, part.pendingMinor],
			],
		);
}

/** Lists the parts of a refund or a dispute. Call it inside the tenant. */
export async function listParts(tx: Database, objectId: string): Promise<StoredPart[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from receipt_holds where tenant_id = $2 and object_id = $1 order by position`,
		[objectId, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Lists what refunds and disputes took of a receipt. Call it inside the tenant, with the receipt locked.
 */
export async function listPartsOf(tx: Database, receiptId: string): Promise<StoredPart[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from receipt_holds where tenant_id = $2 and receipt_id = $1 order by object_id, position`,
		[receiptId, currentTenant(tx)],
	);
	return rows.map(fromRow);
}

/**
 * Sums what refunds and disputes took of what was paid to the platform, by the receipt. Call it inside the
 * tenant.
 */
export async function sumTakenOfPlatform(
	tx: Database,
	receiptIds: readonly string[],
): Promise<ReadonlyMap<string, bigint>> {
	const rows = await tx.query<{ receipt_id: string; taken: string }>(
		`select receipt_id, sum(amount_minor)::bigint as taken from receipt_holds
		  where tenant_id = $2 and receipt_id = any ($1) and source in ('unapplied', 'income') and state <> 'released' group by receipt_id`,
		[receiptIds, currentTenant(tx)],
	);
	return new Map(rows.map(({ receipt_id, taken }) => [receipt_id, BigInt(taken)]));
}

/**
 * Stores what became of the parts of a refund or a dispute that are held, and returns them. Call it inside
 * the tenant.
 */
export async function endParts(
	tx: Database,
	objectId: string,
	{ state, positions }: { state: Exclude<PartState, "held">; positions: readonly number[] | undefined },
): Promise<StoredPart[]> {
	const rows = await tx.query<Row>(
		`update receipt_holds set state = $2
		  where tenant_id = $4 and object_id = $1 and state = 'held' and ($3::int[] is null or position = any ($3))
		  returning ${columns}`,
		[objectId, state, positions ?? null, currentTenant(tx)],
	);
	return rows.map(fromRow).toSorted((one, other) => one.position - other.position);
}

/** What the tenant has in a payment of a bill that refunds and disputes have not taken. */
export type TakenBill = { paymentId: string; leftMinor: bigint };

/**
 * Lists payments of bills of which something is left, those that this receipt completed first, then the
 * newest, a hundred at most. Call it inside the tenant, after `lockBillsOf`.
 */
export async function listBillPayments(
	tx: Database,
	{ receiptId, currency }: { receiptId: string; currency: string },
): Promise<TakenBill[]> {
	const rows = await tx.query<{ id: string; left_minor: string }>(
		`select p.id, p.amount_minor - coalesce(h.taken, 0) as left_minor
		   from payments p join intents i on i.tenant_id = p.tenant_id and i.id = p.intent_id
		   left join lateral (
		     select sum(r.amount_minor) as taken from receipt_holds r
		      where r.tenant_id = $3 and r.payment_id = p.id and r.state <> 'released') h on true
		  where p.tenant_id = $3 and i.payee = 'platform' and i.currency = $2 and p.amount_minor > coalesce(h.taken, 0)
		  order by p.receipt_id = $1 desc, p.id desc limit 100`,
		[receiptId, currency, currentTenant(tx)],
	);
	return rows.map(({ id, left_minor }) => ({ paymentId: id, leftMinor: BigInt(left_minor) }));
}
