import type pg from "pg";

/** Sets limits that are counted but never reached, or removes all limits. */
export async function limitRequests(admin: pg.Client, isLimited: boolean): Promise<void> {
	await admin.query(
		isLimited ? "update rate_limit_config set requests = 2000000000" : "delete from rate_limit_config",
	);
}
