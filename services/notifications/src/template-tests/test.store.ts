import type { Database } from "@lango/postgres";

/**
 * Returns when the test was sent that forbids another one: the `max`-th newest of a person after `since`.
 * Undefined if one may be sent. Call it inside the tenant.
 */
export async function findTestInTheWay(
	tx: Database,
	{ userId, since, max }: { userId: string; since: Date; max: number },
): Promise<Date | undefined> {
	const [row] = await tx.query<{ created_at: Date }>(
		`select created_at from messages where source = 'test' and caller_id = $1 and created_at > $2
		  order by created_at desc offset $3 limit 1`,
		[userId, since, max - 1],
	);
	return row?.created_at;
}
