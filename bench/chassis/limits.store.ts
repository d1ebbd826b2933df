import type pg from "pg";

/** Limits that are counted but never reached, or none. */
export async function limitRequests(admin: pg.Client, isLimited: boolean): Promise<void> {
	await admin.query(
		isLimited ? "update rate_limit_config set requests = 2000000000" : "delete from rate_limit_config",
	);
}
