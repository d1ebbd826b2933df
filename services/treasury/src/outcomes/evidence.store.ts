import { uuidV7 } from "@lango/events";
import type { Database } from "@lango/postgres";
import type { EvidenceSource } from "./evidence.ts";

type NewEvidence = {
	tenantId: string;
	objectKind: "intent" | "attempt" | "receipt" | "query";
	objectId: string;
	source: EvidenceSource;
	sourceId: string | undefined;
	said: object;
	at: Date;
};

/** Stores a statement about money, and returns its id. Call it inside the tenant. */
export async function recordEvidence(tx: Database, evidence: NewEvidence): Promise<string> {
	const id = uuidV7(evidence.at);
	await tx.query(
		`insert into evidence (tenant_id, id, object_kind, object_id, source, source_id, said, at)
		 values ($1, $2, $3, $4, $5, $6, $7, $8)`,
		[
			...[evidence.tenantId, id, evidence.objectKind, evidence.objectId],
			...[evidence.source, evidence.sourceId ?? null, toJson(evidence.said), evidence.at],
		],
	);
	return id;
}

/** Amounts are at most 10^12, which a number holds exactly. */
const toJson = (said: object): string =>
	JSON.stringify(said, (_, value) => (typeof value === "bigint" ? Number(value) : value));

/** Whether a statement about the attempt itself names this receipt. Call it inside the tenant. */
export async function isReceiptSaidOf(tx: Database, attemptId: string, receipt: string): Promise<boolean> {
	const rows = await tx.query(
		"select from evidence where object_id = $1 and said->>'kind' = 'paid' and said->>'receipt' = $2 limit 1",
		[attemptId, receipt],
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
		  where object_id = $1 and said->>'kind' = 'received' and said->>'receipt' = $2 order by id limit 1`,
		[receiptId, receipt],
	);
	return row?.account ?? null;
}
