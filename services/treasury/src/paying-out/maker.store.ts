import { acrossTenants, type Database, isUuid } from "@lango/postgres";
import type { Payout } from "../payouts/payout.ts";

/**
 * Returns the people who made a payout: of an API key, also of one that is for all tenants, the person who
 * limits it and the one who created it. Undefined: no person is known. Call it outside of a tenant.
 */
export async function findMakers(
	db: Database,
	{ kind, id }: Payout["createdBy"],
): Promise<readonly string[] | undefined> {
	if (kind === "user") return [id];
	if (kind !== "key") return undefined;
	const [row] = await acrossTenants(db, (tx) =>
		tx.query<{ creator_id: string | null; created_by: string | null }>(
			`select creator_id, created_by from api_keys where id = $1
			 union all select creator_id, created_by from platform_api_keys where id = $1`,
			[id],
		),
	);
	if (row === undefined || row.created_by === null || !isUuid(row.created_by)) return undefined;
	return [row.created_by, ...(row.creator_id === null ? [] : [row.creator_id])];
}
