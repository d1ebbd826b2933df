import type { Database } from "@lango/postgres";

/**
 * Returns when the test was sent that forbids another one: the `max`-th newest of a person after `since`.
 * Undefined if one may be sent. Call it inside the tenant.
 */
export async function findTestInTheWay(
	tx: Database,
	{ tenantId, userId, since, max }: { tenantId: string; userId: string; since: Date; max: number },
): Promise<Date | undefined> {
	const [row] = await tx.query<{ created_at: Date }>(
		`select created_at from messages where tenant_id = $1 and source = 'test' and caller_id = $2 and created_at > $3
		  order by created_at desc offset $4 limit 1`,
		[tenantId, userId, since, max - 1],
	);
	return row?.created_at;
}
