import { uuidV7 } from "@lango/events";
import { currentTenant, type Database } from "@lango/postgres";
import type { EvidenceSource } from "./evidence.ts";

type NewEvidence = {
	tenantId: string;
	objectKind:
		| "intent"
		| "attempt"
		| "receipt"
		| "query"
		| "settlement"
		| "adjustment"
		| "refund"
		| "dispute"
		| "payout";
	objectId: string;
	source: EvidenceSource;
	sourceId: string | undefined;
	said: object;
	at: Date;
};

/** Stores a statement about money, and returns its id. Call it inside the tenant. */
export async function recordEvidence(tx: Database, evidence: NewEvidence): Promise<string> {
	const [id] = await recordAllEvidence(tx, [evidence]);
	if (id === undefined) throw new Error("the statement was not stored");
	return id;
}

/** Stores statements about money, and returns their ids in the same order. Call it inside the tenant. */
export async function recordAllEvidence(tx: Database, all: readonly NewEvidence[]): Promise<string[]> {
	const rows = all.map(({ at, ...one }) => ({ ...one, at, id: uuidV7(at) }));
	await tx.query(
		`insert into evidence (tenant_id, id, object_kind, object_id, source, source_id, said, at)
		 select e.tenant_id, e.id, e.object_kind, e.object_id, e.source, e.source_id, e.said::jsonb, e.at
		   from unnest($1::uuid[], $2::uuid[], $3::text[], $4::uuid[], $5::text[], $6::text[], $7::text[], $8::timestamptz[])
		        as e (tenant_id, id, object_kind, object_id, source, source_id, said, at)
		 on conflict do nothing`,
		[
			...[rows.map(({ tenantId }) => tenantId), rows.map(({ id }) => id)],
			...[rows.map(({ objectKind }) => objectKind), rows.map(({ objectId }) => objectId)],
			...[rows.map(({ source }) => source), rows.map(({ sourceId }) => sourceId ?? null)],
			...[rows.map(({ said }) => toJson(said)), rows.map(({ at }) => at)],
		],
	);
	return rows.map(({ id }) => id);
}

/** Amounts are at most 10^12, which a number holds exactly. */
const toJson = (said: object): string =>
	JSON.stringify(said, (_, value) => (typeof value === "bigint" ? Number(value) : value));

/** Whether a statement about the attempt itself names this receipt. Call it inside the tenant. */
export async function isReceiptSaidOf(tx: Database, attemptId: string, receipt: string): Promise<boolean> {
	const rows = await tx.query(
		"select from evidence where tenant_id = $3 and object_id = $1 and said->>'kind' = 'paid' and said->>'receipt' = $2 limit 1",
		[attemptId, receipt, currentTenant(tx)],
	);
	return rows.length > 0;
}

/** Returns the account that the confirmation of a receipt names. Call it inside the tenant. */
export async function findAccountSaid(
	tx: Database,
	receiptId: string,
	receipt: string,
): Promise<string | null> {
	const [row] = await tx.query<{ account: string | null }>(
		`select said->>'accountRef' as account from evidence
		  where tenant_id = $3 and object_id = $1 and said->>'kind' = 'received' and said->>'receipt' = $2 order by id limit 1`,
		[receiptId, receipt, currentTenant(tx)],
	);
	return row?.account ?? null;
}
