import { acrossTenants, type Database } from "@lango/postgres";

/** Lists receipts of all tenants about which the gateway should have been asked, by id. */
export async function listDueReceipts(
	db: Database,
	{ before, after, limit }: { before: Date; after: string | undefined; limit: number },
): Promise<Array<{ id: string; tenantId: string }>> {
	const rows = await acrossTenants(db, (tx) =>
		tx.query<{ id: string; tenant_id: string }>(
			`select id, tenant_id from receipts where next_check_at < $1 and ($2::uuid is null or id > $2)
			  order by id limit $3`,
			[before, after ?? null, limit],
		),
	);
	return rows.map(({ id, tenant_id }) => ({ id, tenantId: tenant_id }));
}

type Removal = { before: Date; limit: number };

/** The gateway gave no answer about a receipt for so long that none comes any more. */
const unansweredKept = "83 days";

/**
 * Removes receipts that were said to exist before a time and not verified, with what was said of them, of
 * all tenants: `limit` at most. One without an answer of the gateway stays 83 days longer. Returns how
 * many.
 */
export async function removeUnverifiedReceipts(db: Database, removal: Removal): Promise<number> {
	const text = `select remove_unverified_receipts($1, $1::timestamptz - interval '${unansweredKept}', $2) as removed`;
	return removed(db, text, removal);
}

/**
 * Removes questions to the gateway before a time that no person asked, with their tokens, of all tenants:
 * `limit` at most. Returns how many.
 */
export async function removeHintQuestions(db: Database, removal: Removal): Promise<number> {
	return removed(db, "select remove_hint_questions($1, $2) as removed", removal);
}

async function removed(db: Database, text: string, { before, limit }: Removal): Promise<number> {
	const [row] = await db.query<{ removed: number }>(text, [before, limit]);
	return row?.removed ?? 0;
}
