import { acrossTenants, type Database, inTenant } from "@lango/postgres";

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
type Found = { id: string; tenant_id: string };

/** The gateway gave no answer about a receipt for so long that none comes any more. */
const unansweredKeptMs = 83 * 24 * 3_600_000;

/**
 * Removes receipts that were said to exist before a time and not verified, with what was said of them, of
 * all tenants: `limit` at most. One without an answer of the gateway stays 83 days longer. Returns how
 * many.
 */
export async function removeUnverifiedReceipts(db: Database, { before, limit }: Removal): Promise<number> {
	const unansweredBefore = new Date(before.getTime() - unansweredKeptMs);
	const old = await acrossTenants(db, (tx) =>
		tx.query<Found>(
			`select r.id, r.tenant_id from receipts r
			  where r.state = 'unverified' and r.created_at < $1
			    and (r.created_at < $2 or r.receipt !~ '^[A-Z0-9]{6,20}$' or exists (
			      select from gateway_queries q
			       where q.tenant_id = r.tenant_id and q.receipt = r.receipt and q.shortcode = r.shortcode and q.status = 'answered'))
			  limit $3`,
			[before, unansweredBefore, limit],
		),
	);
	await eachTenant(db, old, (tx, values) => tx.query("select remove_unverified_receipts($1, $2)", values));
	return old.length;
}

/**
 * Removes questions to the gateway before a time that no person asked, with their tokens, of all tenants:
 * `limit` at most. Returns how many.
 */
export async function removeHintQuestions(db: Database, { before, limit }: Removal): Promise<number> {
	const old = await acrossTenants(db, (tx) =>
		tx.query<Found>(
			"select id, tenant_id from gateway_queries where created_by_kind = 'service' and created_at < $1 limit $2",
			[before, limit],
		),
	);
	await eachTenant(db, old, async (tx, values) => {
		await tx.query(
			`delete from locators l using callback_tokens t
			  where t.tenant_id = $1 and t.object_id = any ($2) and l.tenant_id = $1 and l.object_id = t.id
			    and l.kind = 'callback_token'`,
			values,
		);
		await tx.query("delete from callback_tokens where tenant_id = $1 and object_id = any ($2)", values);
		await tx.query("delete from gateway_queries where tenant_id = $1 and id = any ($2)", values);
	});
	return old.length;
}

/** Runs `remove` inside each tenant, with its id and the ids of its rows. */
async function eachTenant(
	db: Database,
	found: readonly Found[],
	remove: (tx: Database, values: [tenantId: string, ids: string[]]) => Promise<unknown>,
): Promise<void> {
	for (const [tenantId, rows] of Map.groupBy(found, (row) => row.tenant_id))
		await inTenant(db, tenantId, (tx) => remove(tx, [tenantId, rows.map(({ id }) => id)]));
}
